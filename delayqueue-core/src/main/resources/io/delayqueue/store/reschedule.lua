#!lua flags=allow-oom
-- Moves a message to a new due time: SCHEDULED, PARKED, READY -> SCHEDULED.
-- ARGV[1] id (text)
-- ARGV[2] due (ms since 1970, or '+' and ms from now)
-- ARGV[3] max-delay (ms)
-- ARGV[4] call token (11 characters)
-- ARGV[5] window (ms for which Redis recognises a repeat of this call)
-- ARGV[6] any group (1 if a message of any group with this id matches, should none without a group have it; else 0)
-- Returns {answer, due (ms), now (us), new head (1 if the message is now the first due one, else 0), number of parked messages that
--   this run has scheduled again}
--   rescheduled this run, or an earlier run of the same call, has given the message its new due time
--   in-flight   a consumer holds the message, which was not moved
--   dead        the message is a dead letter, which was not moved
--   none        there is no such message
--   elsewhere   there is no such message in this partition, which is closed: a newer epoch may have the message
--   too-far     the new due time is later than max-delay from now; nothing was written
--   expires     the new due time is later than the expiry of the message; nothing was written
-- Limits: also removes from done up to 100 ids and tokens whose time has ended. Cost: O(log N); reads and rewrites the record, which contains the
-- due time.
local messages, scheduled, ready, entries, dead, done, expiries, grouped, groups, active, parked, control,
  throttled = unpack(KEYS)
local id, spec, max_delay, window = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[5])
local token = ARGV[4]
-- A call without a group may ask a partition twice: that it has no message without a group says nothing of those with one.
local memory, holding = 'rescheduled\0' .. token, 'in-flight\0' .. token
local refusal = (ARGV[6] == '1' and 'unmoved\0' or 'unmoved-exactly\0') .. token

-- include layout
-- include types
-- include groups
-- include unpark
-- include slots
-- include move
-- include lease
-- include windows
-- include find_record

local foreign, closed, any_throttled = read_control(control, 'closed', 'throttled')
if foreign then
  return foreign
end

local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
  throttled = throttled}
keys.any_throttled = any_throttled
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = tonumber(spec)
if string.byte(spec) == 43 then
  due = now + due
end
local record
record, id = find_record({groups = groups, messages = messages}, id, ARGV[6] == '1')
local entry = redis.call('HGET', entries, id)
local was_score = redis.call('ZSCORE', scheduled, id)
local death = redis.call('ZSCORE', dead, id)
local group = groups_of(keys, {id})[1]
local expiry = tonumber(redis.call('ZSCORE', expiries, id) or '')
local head = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]
local ended = redis.call('ZRANGE', done, '-inf', string.format('%.0f', now), 'BYSCORE', 'LIMIT', 0, 100)
require_types('stream', ready)

local function answer(word, new_head, unparked)
  return {word, due, time[1] * 1000000 + time[2], new_head and 1 or 0, unparked or 0}
end
local ends = string.format('%.0f', now + window)
-- Stores a refusal, because a late repeat of this call must not move a message that the first run did not move. A call for a dead letter
-- is not remembered: an operator may repeat it after a redrive. A closed partition without messages never gets one.
local function unmoved(word)
  if is_lasting(token) and not (closed and redis.call('HLEN', messages) == 0) then
    redis.call('ZADD', done, 'NX', token_ends(token, now, ends), word == 'in-flight' and holding or refusal)
  end
  return answer(word)
end
local earlier = redis.call('ZMSCORE', done, memory, holding, refusal)
if earlier[1] then
  return answer('rescheduled', true)
end
if earlier[2] then
  return answer('in-flight')
end
if not record or earlier[3] then
  return unmoved(closed and 'elsewhere' or 'none')
end
if entry then
  local lease, refused = read_lease(ready, entry)
  if refused then
    return refused
  elseif lease then
    return unmoved('in-flight')
  end
elseif death and not was_score then
  return answer('dead')
end
local was_due = tonumber(string.sub(record, 2, 17))
if expiry and expiry ~= math.floor(expiry) then
  -- An expiry that is relative to the due time moves with it.
  expiry = expiry + due - was_due
elseif expiry and expiry < due then
  return answer('expires')
end
if due > now + max_delay then
  return answer('too-far')
end

local unparked = 0
local score = string.format('%.0f', due)
local moved = string.sub(record, 1, 1) .. string.format('%016.0f', due) .. string.sub(record, 18)
-- If this run stops, scheduled must not have an earlier due time than the record: only an earlier due time is written after the
-- record.
local later = not was_score or due >= tonumber(was_score)
if later then
  redis.call('ZADD', scheduled, score, id)
end
if entry then
  redis.call('HDEL', entries, id)
end
redis.call('ZREM', dead, id)
if group then
  local text = string.format('%016.0f', due)
  move_in_group(keys, id, group, group.name .. '\0' .. text .. '\0' .. id, text)
  unparked = free_slot(keys, id, group, was_score and tonumber(was_score) <= now)
end
-- If this run stops, the expiry must not be too early for the due time in the record: only an earlier expiry is written after the
-- record
if expiry and due >= was_due then
  redis.call('ZADD', expiries, string.format('%.1f', expiry), id)
end
redis.call('HSET', messages, id, moved)
if expiry and due < was_due then
  redis.call('ZADD', expiries, string.format('%.1f', expiry), id)
end
if not later then
  redis.call('ZADD', scheduled, score, id)
end
if entry then
  redis.call('XDEL', ready, entry)
end
if #ended > 0 then
  redis.call('ZREM', done, unpack(ended))
end
-- Stores the answer last, so that a repeat of a run that stopped half-way moves the message again.
redis.call('ZADD', done, token_ends(token, now, ends), memory)
return answer('rescheduled', not head or due < tonumber(head), unparked)
