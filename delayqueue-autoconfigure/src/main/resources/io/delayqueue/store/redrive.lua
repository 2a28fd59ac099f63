#!lua flags=allow-oom
-- Gives dead letters another chance, with no failures counted: DEAD -> SCHEDULED.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] entries (hash)
-- KEYS[4] failures (hash)
-- KEYS[5] dead (zset)
-- KEYS[6] expiries (zset)
-- KEYS[7] grouped (hash)
-- KEYS[8] groups (zset)
-- KEYS[9] control (hash)
-- ARGV[1] quota (messages of one group, 0 for none)
-- ARGV[2] group (text: messages of another one, or of none, are not meant; empty for any)
-- ARGV[3 + 2n] id (text)
-- ARGV[4 + 2n] wait (ms from now)
-- Returns {now (us), first due (ms, -1 if nothing was moved), then for each id: 1 or 0}
--   1 it is scheduled, by this run or already
--   0 it is no dead letter
--   -1 its group is full
-- Limits: at most 1,000 ids a call. Cost: O(log N) an id. Never reads a record.
local messages, scheduled, entries, failures, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local expiries, grouped, groups, control = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local quota, meant = tonumber(ARGV[1]), ARGV[2]

-- include layout

local ids = {}
for i = 3, #ARGV, 2 do
  ids[#ids + 1] = ARGV[i]
end
local death_of = redis.call('ZMSCORE', dead, unpack(ids))
local entry_of = redis.call('HMGET', entries, unpack(ids))
local place_of = redis.call('ZMSCORE', scheduled, unpack(ids))
local about = redis.call('HMGET', grouped, unpack(ids))
redis.call('HLEN', failures)
redis.call('ZCARD', expiries)
redis.call('ZCARD', groups)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local reply, places, gone, first = {time[1] * 1000000 + time[2], -1}, {}, {}, nil
local members, count_of = {}, {}

local function member_of(id, of_group)
  return string.sub(of_group, 18) .. '\0' .. string.sub(of_group, 1, 16) .. '\0' .. id
end

local function join(id, of_group)
  members[#members + 1] = 0
  members[#members + 1] = member_of(id, of_group)
end

-- Whether its group has room, or it has its place already; then it has one.
local function has_room(id, of_group)
  local name = string.sub(of_group, 18)
  if redis.call('ZSCORE', groups, member_of(id, of_group)) then
    return true
  end
  count_of[name] = count_of[name] or redis.call('ZLEXCOUNT', groups, '[' .. name .. '\0', '(' .. name .. '\1')
  if quota > 0 and count_of[name] >= quota then
    return false
  end
  count_of[name] = count_of[name] + 1
  join(id, of_group)
  return true
end

for n, id in ipairs(ids) do
  if meant ~= '' and string.sub(about[n] or '', 18) ~= meant then
    death_of[n] = false
  end
  local exists = redis.call('HEXISTS', messages, id) == 1
  -- In another place too: a script that stopped half-way has moved it already
  local moves = exists and not entry_of[n] and not place_of[n]
  local full = death_of[n] and moves and about[n] and not has_room(id, about[n])
  if death_of[n] and exists and about[n] and not moves then
    -- A run that stopped half-way has moved it; its place is its own.
    join(id, about[n])
  end
  if death_of[n] and not full then
    gone[#gone + 1] = id
    if moves then
      local due = now + ARGV[2 * n + 2]
      places[#places + 1] = string.format('%.0f', due)
      places[#places + 1] = id
      if not first or due < first then
        first = due
      end
    end
  end
  reply[#reply + 1] = full and -1 or (death_of[n] and exists) and 1 or 0
end
if #places > 0 then
  redis.call('ZADD', scheduled, unpack(places))
  reply[2] = first
end
if #members > 0 then
  redis.call('ZADD', groups, unpack(members))
end
if #gone > 0 then
  redis.call('HDEL', failures, unpack(gone))
  redis.call('ZREM', expiries, unpack(gone))
  redis.call('ZREM', dead, unpack(gone))
end
return reply
