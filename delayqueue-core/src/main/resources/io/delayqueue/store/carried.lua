#!lua flags=allow-oom
-- Removes dead letters after a newer epoch has stored them: DEAD -> (none). Does nothing if another process has meanwhile
-- begun to move these dead letters.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] entries (hash)
-- KEYS[4] failures (hash)
-- KEYS[5] dead (zset)
-- KEYS[6] expiries (zset)
-- KEYS[7] grouped (hash)
-- KEYS[8] groups (zset)
-- KEYS[9] active (zset)
-- KEYS[10] parked (zset)
-- KEYS[11] control (hash)
-- KEYS[12] throttled (zset)
-- ARGV[1] carrier (text, the name of the process that moves the dead letters)
-- ARGV[1 + n] id (text; none or several)
-- Returns {'removed'}
-- Limits: 100 ids. Cost: O(log N) an id. Never reads a record.
local messages, scheduled, entries, failures, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local expiries, grouped, groups, active, parked, control = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local throttled = KEYS[12]

-- include layout
-- include types
-- include groups
-- include unpark
-- include slots
-- include remove_dead

local foreign, carrying, any_throttled = read_control(control, 'carrying', 'throttled')
if foreign then
  return foreign
end

if carrying ~= ARGV[1] then
  return {'removed'}
end
local ids = {unpack(ARGV, 2)}
if #ids > 0 then
  local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
    messages = messages, expiries = expiries, failures = failures, dead = dead, throttled = throttled}
  keys.any_throttled = any_throttled
  require_types('hash', failures, 'zset', expiries, 'zset', dead)
  local group_of = groups_of(keys, ids)
  remove_dead(keys, ids, group_of)
end
return {'removed'}
