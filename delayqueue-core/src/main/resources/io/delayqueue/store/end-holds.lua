#!lua flags=allow-oom
-- Ends the hold of a group, or all holds of a partition. The next sweep unparks messages of the groups that were held.
-- ARGV[1] which (all: all holds of the partition; group: the hold of one group)
-- ARGV[2] group (text)
-- Returns {'ended', left (1 if a further run must end more holds, else 0)}
-- Limits: about 1,000 holds a run. Cost: O(holds that it ends x log N).
local control, holds, throttled = unpack(KEYS)
local which, group = ARGV[1], ARGV[2]

-- include layout
-- include types
-- include ended_holds

local foreign, latest = read_control(control, 'holds')
if foreign then
  return foreign
end

local keys = {holds = holds, control = control}
require_types('zset', throttled)
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))

local fields = which == 'all' and some_holds(keys) or {group}
for _, field in ipairs(fields) do
  redis.call('ZADD', throttled, 'XX', 'LT', now, field)
end
if which == 'all' then
  fields[#fields + 1] = ''
end
redis.call('HDEL', holds, unpack(fields))
local left = redis.call('HLEN', holds)
if left == 0 and latest then
  redis.call('HDEL', control, 'holds')
end
return {'ended', which == 'all' and left > 0 and 1 or 0}
