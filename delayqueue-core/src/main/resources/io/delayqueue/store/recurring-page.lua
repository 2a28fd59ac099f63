#!lua flags=no-writes
-- Lists definitions of recurring schedules, in no particular order.
-- ARGV[1] cursor (that the previous call returned, 0 to begin)
-- ARGV[2] limit (about how many definitions a page has, 1 to 1,000)
-- Returns {cursor (0 if no page follows), now (us), then for each definition: key, the instant at which the definition is due
--   (ms, text, +inf if none), the definition without its envelope}
-- Cost: O(limit); reads definitions.
local recurring, recurrences = unpack(KEYS)

-- include definition

local time = redis.call('TIME')
local found = redis.call('HSCAN', recurring, ARGV[1], 'COUNT', ARGV[2])
local reply = {found[1], time[1] * 1000000 + time[2]}
for i = 1, #found[2], 2 do
  local key, definition = found[2][i], read_definition(found[2][i + 1])
  if definition then
    reply[#reply + 1] = key
    reply[#reply + 1] = is_stopped(definition) and '+inf' or redis.call('ZSCORE', recurrences, key) or '0'
    reply[#reply + 1] = shown_of(definition)
  end
end
return reply
