#!lua flags=no-writes
-- Finds one message; if it has ended, finds in the history how it has ended.
-- ARGV[1] id (text)
-- ARGV[2] any group (1 if a message of any group with this id matches, should none without a group have it; else 0)
-- Returns {state, record (bytes), score (ms: when a scheduled message will be swept, or when a dead letter was dead-lettered, else
--   -1), failure (text, may be empty), entry (stream entry of a ready or pending message, else empty), consumer (the one that holds
--   the message, else empty), idle (ms since that consumer took the message or renewed its lease), id}
--   PENDING, READY, SCHEDULED, PARKED, DEAD the message is in this state
--   NONE    there is no such message; the other values are empty
--   ELSEWHERE as NONE, and the partition is closed: a newer epoch may have the message
--   FINISHED the message has ended, and the history has an entry for it: record is the text of this entry, score its time (ms), and
--   entry its id; consumer is ELSEWHERE if a newer epoch may have a message with this id, else empty
--   NOWHERE the message has a record, but is in no state: the repair will schedule it
-- Cost: O(log N); reads the record.
local messages, scheduled, ready, entries, failures, dead, grouped, groups, parked, control, history, ends = unpack(KEYS)

-- include lease
-- include find_record

local closed, kept = unpack(redis.call('HMGET', control, 'closed', 'history'))
local none = closed and 'ELSEWHERE' or 'NONE'
local record, id = find_record({groups = groups, messages = messages}, ARGV[1], ARGV[2] == '1')
if not record then
  local last = kept and redis.call('HGET', ends, ARGV[1])
  local ended = last and redis.call('XRANGE', history, last, last)[1]
  if ended then
    return {'FINISHED', ended[2][2], tonumber(string.match(last, '^%d+')), '', last, closed and none or '', 0, ARGV[1]}
  end
  return {none, '', -1, '', '', '', 0, ARGV[1]}
end
local about = redis.call('HGET', grouped, id)
local entry = redis.call('HGET', entries, id)
local score = redis.call('ZSCORE', scheduled, id)
local death = redis.call('ZSCORE', dead, id)
local state = score and 'SCHEDULED' or death and 'DEAD' or 'NOWHERE'
if about and not score and redis.call('ZSCORE', parked, string.sub(about, 18) .. '\0' .. string.sub(about, 1, 16) .. '\0' .. id) then
  state = 'PARKED'
end
local consumer, idle = '', 0
if entry then
  local lease, refused = read_lease(ready, entry)
  if refused then
    return refused
  elseif lease then
    state, consumer, idle = 'PENDING', lease[2], lease[3]
  elseif #redis.call('XRANGE', ready, entry, entry) > 0 then
    state = 'READY'
  end
end
return {state, record, tonumber(score or death or '-1'), redis.call('HGET', failures, id) or '', entry or '', consumer,
  idle, id}
