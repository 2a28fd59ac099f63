#!lua flags=no-writes
-- Looks at one message.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] ready (stream)
-- KEYS[4] entries (hash)
-- KEYS[5] failures (hash)
-- KEYS[6] dead (zset)
-- ARGV[1] id (text)
-- Returns {state, record (bytes), place (ms: score in scheduled, time of death of a dead one, -1 if none),
--   failure (text, may be empty), entry (of a ready or pending one, else empty), consumer (that has it, else empty),
--   idle (ms since that consumer took it or renewed its lease)}
--   PENDING, READY, SCHEDULED, DEAD where it is
--   NONE    there is no such message; the other values are empty
--   NOWHERE there is a record in no place: repair will schedule it
-- Cost: O(log N); reads the record.
local messages, scheduled, ready, entries, failures, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local id = ARGV[1]

local record = redis.call('HGET', messages, id)
if not record then
  return {'NONE', '', -1, '', '', '', 0}
end
local entry = redis.call('HGET', entries, id)
local place = redis.call('ZSCORE', scheduled, id)
local death = redis.call('ZSCORE', dead, id)
local state = place and 'SCHEDULED' or death and 'DEAD' or 'NOWHERE'
local consumer, idle = '', 0
if entry then
  local lease = redis.pcall('XPENDING', ready, 'consumers', entry, entry, 1)
  if lease.err and not string.find(lease.err, 'NOGROUP', 1, true) then
    return lease
  end
  if #lease > 0 then
    state, consumer, idle = 'PENDING', lease[1][2], lease[1][3]
  elseif #redis.call('XRANGE', ready, entry, entry) > 0 then
    state = 'READY'
  end
end
return {state, record, tonumber(place or death or '-1'), redis.call('HGET', failures, id) or '', entry or '', consumer,
  idle}
