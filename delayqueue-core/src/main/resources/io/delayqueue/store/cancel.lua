#!lua flags=allow-oom
-- Removes a message in any state: SCHEDULED, PARKED, READY, PENDING, DEAD -> (none). The message ends when the script removes its
-- record.
-- ARGV[1] id (text)
-- ARGV[2] call token (11 characters)
-- ARGV[3] window (ms for which Redis recognises a repeat of this call, or of the call that scheduled the message)
-- ARGV[4] any group (1 if a message of any group with this id matches, should none without a group have it; else 0)
-- ARGV[5] where (text, the name of this process, for the history)
-- Returns {answer, number of parked messages that this run has scheduled again, then, if this run has removed a message that a
--   consumer holds: its stream entry}
--   cancelled removed; no consumer will get it
--   in-flight removed while a consumer holds it: its handler may finish, but no retry follows
--   dead      removed; it was a dead letter
--   none      there is no such message
--   elsewhere as none, and the partition is closed: a newer epoch may have the message
-- Limits: also removes from done up to 100 ids and tokens whose time has ended. Cost: O(log N); reads the record, which contains
-- the token of the call that scheduled the message.
local messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked, control, throttled,
  history, ends = unpack(KEYS)
local id, token, window = ARGV[1], ARGV[2], tonumber(ARGV[3])

-- include layout
-- include carrying
-- include types
-- include groups
-- include unpark
-- include slots
-- include lease
-- include ends
-- include find_record
-- include windows

local foreign, closed, carrying, any_throttled, kept = read_control(control, 'closed', 'carrying', 'throttled', 'history')
if foreign then
  return foreign
end

local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
  throttled = throttled, history = history, ends = ends}
keys.any_throttled = any_throttled
local record
record, id = find_record({groups = groups, messages = messages}, id, ARGV[4] == '1')
local group = groups_of(keys, {id})[1]
local entry = redis.call('HGET', entries, id)
local due = redis.call('ZSCORE', scheduled, id)
local death = redis.call('ZSCORE', dead, id)
local expiry = redis.call('ZSCORE', expiries, id)
local recorded, failure = new_ends(kept, ARGV[5], 'C'), nil
require_types('stream', ready)
if recorded then
  failure = redis.call('HGET', failures, id)
else
  require_types('hash', failures)
end
local tombstone = record and '\0' .. string.sub(record, 18, 28)
-- A call without a group may ask a partition twice: that it has no message without a group says nothing of those with one.
local words = {'cancelled', 'in-flight', 'dead', ARGV[4] == '1' and 'none' or 'none-exactly'}
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local end_of_window = string.format('%.0f', now + window)
local ended = redis.call('ZRANGE', done, '-inf', now, 'BYSCORE', 'LIMIT', 0, 100)
local answers = redis.call('ZMSCORE', done, words[1] .. '\0' .. token, words[2] .. '\0' .. token, words[3] .. '\0' .. token,
  words[4] .. '\0' .. token)

local none = closed and 'elsewhere' or 'none'

-- An earlier run of this call has stored its answer. Unless that run stopped half-way, an existing record is newer than that run.
local answer
for n, word in ipairs(words) do
  if answers[n] and not (record and redis.call('ZSCORE', done, tombstone)) then
    answer = answer or (n == 4 and none) or word
  end
end
-- Stores the answer none: a late repeat of this call must not remove a message that did not exist in the first run. A closed partition
-- without messages never gets one.
local function remember_none()
  if is_lasting(token) and not (closed and redis.call('HLEN', messages) == 0) then
    redis.call('ZADD', done, 'NX', token_ends(token, now, end_of_window), words[4] .. '\0' .. token)
  end
end
if answer and record then
  return {answer, 0}
end

local lease, refused
if entry then
  lease, refused = read_lease(ready, entry)
  if refused then
    return refused
  end
end
if #ended > 0 then
  redis.call('ZREM', done, unpack(ended))
end
if record and carrying then
  return refuse_carrying()
elseif record then
  answer = lease and 'in-flight' or (death and not entry and not due) and 'dead' or 'cancelled'
  redis.call('ZADD', done, token_ends(string.sub(tombstone, 2), now, end_of_window), tombstone, token_ends(token, now, end_of_window),
    answer .. '\0' .. token)
  if group or expiry then
    -- If this run stops, the next schedule call of this id finds the failures, and removes the rest of the data.
    redis.call('HSETNX', failures, id, '0|0|0||')
  end
  redis.call('HDEL', messages, id)
  add_end(recorded, id, failure, lease and 1)
  write_ends(keys, recorded, time)
elseif not answer then
  remember_none()
end
-- Removes the other data of the message. Without a record, a script that stopped half-way has left this data.
redis.call('ZREM', scheduled, id)
redis.call('ZREM', dead, id)
redis.call('ZREM', expiries, id)
local unparked = 0
if group then
  unparked = leave_group(keys, id, group, due and tonumber(due) <= tonumber(now))
  redis.call('HDEL', grouped, id)
end
redis.call('HDEL', failures, id)
if entry then
  redis.call('HDEL', entries, id)
  if not (record and lease) then
    redis.call('XDEL', ready, entry)
    redis.call('XACK', ready, 'consumers', entry)
  end
end
return {answer or none, unparked, record and lease and entry or nil}
