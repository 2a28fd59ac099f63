#!lua flags=allow-oom
-- Reads a definition of a recurring schedule in a closed partition, for a process that moves it to a newer epoch. Until the move
-- has ended, scripts refuse calls that would change the definition.
-- ARGV[1] key (text)
-- ARGV[2] generation (text)
-- ARGV[3] overlap (skip: the definition stays until its last occurrence has ended; or allow)
-- ARGV[4] the instant whose occurrence a call has begun to store (ms since 1970 in 16 digits, empty for none)
-- ARGV[5] the same instant (text, empty for none)
-- ARGV[6] call token of that occurrence (11 characters, or empty)
-- Returns {answer, then, if the answer is carries: the instant at which the definition is due (ms, text, +inf if none), the
--   definition (bytes)}
--   carries the definition is marked as being moved
--   held    the definition stays for now: the partition has a record of the group of the definition (other than dead letters that
--     move to a newer epoch), or the last occurrence has not ended, or a call has begun to store an occurrence that the arguments do not name, or a call that stopped half-way has stored
--     its occurrence (then this run completes that call)
--   none    the partition is open, or has no such definition
-- Cost: O(log N).
local messages, dead, done, groups, control, recurring, recurrences = unpack(KEYS)
local key, started_score, started, token = ARGV[1], ARGV[4], ARGV[5], ARGV[6]

-- include layout
-- include held
-- include definition

local foreign, closed, carrying = read_control(control, 'closed', 'carrying')
if foreign then
  return foreign
end
local definition = read_definition(redis.call('HGET', recurring, key))
if not closed or not definition or definition.generation ~= ARGV[2] then
  return {'none'}
end
if started_of(definition) and not definition.is_carried and not is_stopped(definition) then
  if started_of(definition) ~= started then
    return {'held'}
  elseif redis.call('HEXISTS', messages, occurrence_id(key, definition, started)) == 1 or redis.call('ZSCORE', done, '\0' .. token) then
    definition.last, definition.storing = started, ''
    redis.call('ZADD', recurrences, started_score, key)
    redis.call('HSET', recurring, key, definition_of(definition))
    return {'held'}
  end
end
local last = occurrence_id(key, definition, last_of(definition))
local is_running = ARGV[3] == 'skip' and last and redis.call('HEXISTS', messages, last) == 1 and not redis.call('ZSCORE', dead, last)
if not definition.is_carried and (is_running or definition.group ~= '' and not carrying and is_held({messages = messages, groups = groups}, '',
    definition.group)) then
  return {'held'}
end
local score = is_stopped(definition) and '+inf' or redis.call('ZSCORE', recurrences, key) or '0'
definition.is_carried = true
local value = definition_of(definition)
redis.call('HSET', recurring, key, value)
return {'carries', score, value}
