#!lua flags=allow-oom
-- Stores a definition of a recurring schedule that a process moves from an older epoch.
-- ARGV[1] newer epochs (text: the epochs after that of this partition, the current epoch last; empty if the caller has read none)
-- ARGV[2] key (text)
-- ARGV[3] the instant at which the definition is due (ms, text, +inf if none)
-- ARGV[4] definition (bytes)
-- Returns {answer}
--   here      the partition has the definition, or had it, or has another definition with the same key
--   elsewhere the partition is closed and has no record of the group of the definition, or only dead letters that move: the
--     definition belongs to a newer epoch
-- Cost: O(log N).
local messages, done, groups, control, recurring, recurrences = unpack(KEYS)
local newer, key, score = ARGV[1], ARGV[2], ARGV[3]

-- include layout
-- include close
-- include types
-- include held
-- include definition

local foreign, closed, carrying, is_marked = read_control(control, 'closed', 'carrying', 'recurring')
if foreign then
  return foreign
end
if close(control, closed, newer) then
  closed = newer
end
require_types('hash', recurring, 'zset', recurrences, 'zset', done, 'hash', messages, 'zset', groups)
local definition = read_definition(ARGV[4])
if redis.call('HEXISTS', recurring, key) == 1 or redis.call('ZSCORE', done, 'recurring\0' .. definition.generation) then
  return {'here'}
elseif closed and not (definition.group ~= '' and not carrying and is_held({messages = messages, groups = groups}, '', definition.group)) then
  return {'elsewhere'}
end
definition.is_carried = false
if not is_marked then
  redis.call('HSET', control, 'recurring', '1')
end
redis.call('ZADD', recurrences, score, key)
redis.call('HSET', recurring, key, definition_of(definition))
return {'here'}
