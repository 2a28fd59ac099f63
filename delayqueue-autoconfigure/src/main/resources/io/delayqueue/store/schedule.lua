#!lua
-- Accepts messages: (none) -> SCHEDULED. The record, written last, is the commit.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] ready (stream)
-- KEYS[4] entries (hash)
-- KEYS[5] failures (hash)
-- KEYS[6] dead (zset)
-- KEYS[7] done (zset)
-- KEYS[8] control (hash)
-- ARGV[1] layout (version)
-- ARGV[2] partitions (of the queue, 1 to 1,024)
-- ARGV[3] max-delay (ms)
-- ARGV[4 + 3n] id (text)
-- ARGV[5 + 3n] due (ms since 1970, or '+' and ms from now)
-- ARGV[6 + 3n] envelope (bytes, the first 11 are the call token)
-- Returns {now (us), new head (1 or 0), first use (1 or 0), draining since (ms, 0 if it is not), then for each message:
--   answer, due (ms)}
--   created    stored, by this run or by an earlier run of the same call
--   superseded an earlier run of the same call stored it; another one stands in its place since
--   ended      an earlier run of the same call stored it; it was handled, cancelled or discarded since
--   duplicate  the id is known and not finished
--   done       the id has finished and its window has not ended
--   dead       the id is among the dead letters
--   too-far    due lies beyond max-delay
--   draining   the partition accepts nothing new
--   The due of what is not accepted is 0, and -1 where an earlier run has counted it from its own now.
-- Limits: at most 1,000 messages a call. Cost: O(log N) a message; a record is read for a known id only.
local messages, scheduled, ready, entries = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local failures, dead, done, control = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local layout, partitions, max_delay = ARGV[1], ARGV[2], tonumber(ARGV[3])

local stored = redis.call('HMGET', control, 'layout', 'partitions', 'draining')
if stored[1] and stored[1] ~= layout then
  return redis.error_reply('LAYOUT ' .. stored[1] .. ' is stored, ' .. layout .. ' is known')
end
if stored[2] and stored[2] ~= partitions then
  return redis.error_reply('PARTITIONS ' .. stored[2] .. ' are stored, ' .. partitions .. ' are known')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local head = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]

local ids, marks = {}, {}
for i = 4, #ARGV, 3 do
  ids[#ids + 1] = ARGV[i]
  marks[#marks + 1] = ARGV[i]
  marks[#marks + 1] = '\0' .. string.sub(ARGV[i + 2], 1, 11)
end
local entry_of = redis.call('HMGET', entries, unpack(ids))
local failure_of = redis.call('HMGET', failures, unpack(ids))
local death_of = redis.call('ZMSCORE', dead, unpack(ids))
local window_of = redis.call('ZMSCORE', done, unpack(marks))
redis.call('XLEN', ready)

local reply = {time[1] * 1000000 + time[2], 0, 0, tonumber(stored[3] or '0') or 0}
local places, records, stale, taken = {}, {}, {}, {}
local first

local function answer_of(n, id, due, asked_due, token)
  if taken[id] then
    return 'duplicate', 0
  end
  local accepted_before = window_of[2 * n]
  if redis.call('HEXISTS', messages, id) == 1 then
    local record = redis.call('HGET', messages, id)
    if string.sub(record, 18, 28) == token then
      return 'created', tonumber(string.sub(record, 2, 17))
    end
    if accepted_before then
      return 'superseded', asked_due
    end
    if death_of[n] and not entry_of[n] and not redis.call('ZSCORE', scheduled, id) then
      return 'dead', 0
    end
    return 'duplicate', 0
  end
  if accepted_before then
    return 'ended', asked_due
  end
  if window_of[2 * n - 1] and tonumber(window_of[2 * n - 1]) > now then
    return 'done', 0
  end
  if due > now + max_delay then
    return 'too-far', 0
  end
  if stored[3] then
    return 'draining', 0
  end
  return 'new', due
end

for n, id in ipairs(ids) do
  local spec, envelope = ARGV[3 * n + 2], ARGV[3 * n + 3]
  local due, asked_due = tonumber(spec), tonumber(spec)
  if string.byte(spec) == 43 then
    -- Of an earlier run nobody knows when its now was.
    due, asked_due = now + due, -1
  end
  local answer, accepted_due = answer_of(n, id, due, asked_due, string.sub(envelope, 1, 11))
  if answer == 'new' then
    answer = 'created'
    taken[id] = true
    if entry_of[n] or failure_of[n] or death_of[n] then
      stale[#stale + 1] = n
    end
    places[#places + 1] = string.format('%.0f', due)
    places[#places + 1] = id
    records[#records + 1] = id
    records[#records + 1] = string.format('1%016.0f', due) .. envelope
    if not first or due < first then
      first = due
    end
  end
  reply[#reply + 1] = answer
  reply[#reply + 1] = accepted_due
end

if first then
  if not stored[1] or not stored[2] then
    redis.call('HSET', control, 'layout', layout, 'partitions', partitions)
    reply[3] = 1
  end
  -- What a script that stopped half-way has left of an id without a record.
  for _, n in ipairs(stale) do
    if entry_of[n] then
      redis.call('HDEL', entries, ids[n])
      redis.call('XDEL', ready, entry_of[n])
      redis.call('XACK', ready, 'consumers', entry_of[n])
    end
    redis.call('ZREM', dead, ids[n])
    redis.call('HDEL', failures, ids[n])
  end
  redis.call('ZADD', scheduled, unpack(places))
  redis.call('HSET', messages, unpack(records))
  if not head or first < tonumber(head) then
    reply[2] = 1
  end
end
return reply
