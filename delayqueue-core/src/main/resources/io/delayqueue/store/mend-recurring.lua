#!lua flags=allow-oom
-- Repairs definitions of recurring schedules that have no next instant: gives them the instant 0, so that they are due at once.
-- Removes the mark of recurring schedules from a partition without definitions.
-- ARGV[1] cursor (that the previous call returned, 0 to begin)
-- ARGV[2] limit (about how many definitions to check, 1 to 1,000)
-- Returns {cursor (0 if no definition is left to check), number of repaired definitions, number of all definitions}
-- Cost: O(limit); reads definitions.
local control, recurring, recurrences = unpack(KEYS)

-- include layout

local foreign = read_control(control)
if foreign then
  return foreign
end
local found, mended = redis.call('HSCAN', recurring, ARGV[1], 'COUNT', ARGV[2]), 0
for i = 1, #found[2], 2 do
  mended = mended + redis.call('ZADD', recurrences, 'NX', '0', found[2][i])
end
local count = redis.call('HLEN', recurring)
if count == 0 then
  redis.call('HDEL', control, 'recurring')
end
return {found[1], mended, count}
