#!lua
-- Stores dead letters that are carried from an older epoch: (none) -> DEAD. The record is the commit.
-- KEYS[1] messages (hash)
-- KEYS[2] failures (hash)
-- KEYS[3] dead (zset)
-- KEYS[4] done (zset)
-- KEYS[5] grouped (hash)
-- KEYS[6] groups (zset)
-- KEYS[7] control (hash)
-- ARGV[1] counts on (1 if a dead letter keeps its slot in the quota of its group, else 0)
-- ARGV[2 + 5n] id (text)
-- ARGV[3 + 5n] time of death (ms)
-- ARGV[4 + 5n] record (bytes)
-- ARGV[5 + 5n] failures (text)
-- ARGV[6 + 5n] due NUL group (text, empty without a group)
-- Returns {'carried', then the ids that stay where they are, because another message has the id, or an id of their group, here}
-- Limits: 100 dead letters. Cost: O(log N) each.
local messages, failures, dead, done, grouped, groups, control = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local counts_on = ARGV[1] == '1'

-- include layout
-- include carrying
-- include types

local foreign, _, _, _, _, closed = read_control(control)
if foreign then
  return foreign
end
if closed then
  return refuse_carrying()
end

require_types('hash', messages, 'hash', failures, 'zset', dead, 'zset', done, 'hash', grouped, 'zset', groups)
local reply, carried, stays = {'carried'}, {}, {}

-- The group of a letter, the letter itself if it has none.
local function group_of(i)
  local name = string.sub(ARGV[i + 4], 18)
  return name ~= '' and name or i
end

-- An earlier run has stored the other letters; those with a tombstone have ended since.
for i = 2, #ARGV, 5 do
  local stored, token = redis.call('HGET', messages, ARGV[i]), string.sub(ARGV[i + 2], 18, 28)
  local is_taken = stored and string.sub(stored, 18, 28) ~= token
  if (is_taken or not stored) and not redis.call('ZSCORE', done, '\0' .. token) then
    carried[#carried + 1] = i
    stays[group_of(i)] = is_taken or stays[group_of(i)]
  end
end
for n = #carried, 1, -1 do
  if stays[group_of(carried[n])] then
    reply[#reply + 1] = ARGV[table.remove(carried, n)]
  end
end
for _, i in ipairs(carried) do
  local id, about = ARGV[i], ARGV[i + 4]
  redis.call('ZADD', dead, ARGV[i + 1], id)
  if ARGV[i + 3] ~= '' then
    redis.call('HSET', failures, id, ARGV[i + 3])
  end
  if about ~= '' then
    local name, due = string.sub(about, 18), string.sub(about, 1, 16)
    redis.call('HSET', grouped, id, about)
    redis.call('ZADD', groups, 0, name .. '\2\0' .. id)
    if counts_on then
      redis.call('ZADD', groups, 0, name .. '\0' .. due .. '\0' .. id)
    end
  end
  redis.call('HSET', messages, id, ARGV[i + 2])
end
return reply
