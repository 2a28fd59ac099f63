#!lua flags=no-writes
-- Finds the definition of a recurring schedule.
-- ARGV[1] key (text)
-- ARGV[2] with payload (1 or 0)
-- Returns {answer, now (us), then, if the answer is found: the instant at which the definition is due (ms, text, +inf if none), the
--   definition (bytes, without its envelope if no payload is asked for; empty if a newer version or another program wrote it)}
--   found     the partition has the definition
--   none      the partition has no such definition, and is open
--   elsewhere the partition has no such definition, and is closed
-- Cost: O(1).
local control, recurring, recurrences = unpack(KEYS)

-- include layout
-- include definition

local foreign, closed = read_control(control, 'closed')
if foreign then
  return foreign
end
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local value = redis.call('HGET', recurring, ARGV[1])
if not value then
  return {closed and 'elsewhere' or 'none', micros}
end
local definition = read_definition(value)
local score = redis.call('ZSCORE', recurrences, ARGV[1])
if not definition then
  return {'found', micros, score or '0', ''}
end
return {'found', micros, is_stopped(definition) and '+inf' or score or '0', ARGV[2] == '1' and value or shown_of(definition)}
