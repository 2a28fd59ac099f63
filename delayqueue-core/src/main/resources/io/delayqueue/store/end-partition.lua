#!lua flags=allow-oom
-- Removes all that a partition of an older epoch stores after its last message, but for the names of the newer epochs, which a late call
-- may need: (closed) -> (ended).
-- Returns {answer}
--   ended the partition has no keys but control
--   lasts the partition is open, or has messages or recurring schedules; nothing was written
-- Limits: does not remove budget and permits, which belong to the whole queue; the caller has removed all but a few ended messages from
-- the history. Cost: O(finished ids + holds + groups with rates).
local messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked, control, rates,
  throttled, holds, history, ends, recurring, recurrences = unpack(KEYS)

-- include layout
-- include types

local foreign, closed, ended = read_control(control, 'closed', 'ended')
if foreign then
  return foreign
end

local left = redis.call('HLEN', messages) + redis.call('ZCARD', scheduled) + redis.call('HLEN', entries) + redis.call('ZCARD', dead)
  + redis.call('ZCARD', groups) + redis.call('ZCARD', parked) + redis.call('HLEN', recurring)
if not closed or left > 0 then
  return {'lasts'}
end
require_types('stream', ready, 'hash', failures, 'zset', done, 'zset', expiries, 'hash', grouped, 'zset', active, 'zset', rates,
  'zset', throttled, 'hash', holds, 'stream', history, 'hash', ends, 'zset', recurrences)
if not ended then
  -- The partition will not know any more which dead letters of older epochs it has stored: see carry-in.lua.
  local time = redis.call('TIME')
  redis.call('HSET', control, 'ended', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
end
for _, key in ipairs({messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked, rates,
  throttled, holds, history, ends, recurring, recurrences}) do
  redis.call('DEL', key)
end
redis.call('HDEL', control, 'carrying', 'visibility-timeout', 'visibility-timeout-seen', 'paused', 'draining', 'limited', 'throttled',
  'recurring', 'holds', 'history')
return {'ended'}
