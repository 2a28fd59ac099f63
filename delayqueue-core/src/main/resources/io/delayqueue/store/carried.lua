#!lua flags=allow-oom
-- Removes dead letters after a newer epoch has stored them: DEAD -> (none). Removes only those that have not changed since the process
-- that moves them has read them.
-- ARGV[1 + 2n] id (text)
-- ARGV[2 + 2n] time of death (ms)
-- Returns {'removed'}
-- Limits: 100 ids. Cost: O(log N) an id. Never reads a record.
local messages, scheduled, entries, failures, dead, expiries, grouped, groups, active, parked, control, throttled = unpack(KEYS)

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

require_types('zset', dead, 'hash', entries, 'zset', scheduled, 'zset', groups)
local ids = {}
for i = 1, carrying and #ARGV or 0, 2 do
  local id = ARGV[i]
  if tonumber(redis.call('ZSCORE', dead, id) or '') == tonumber(ARGV[i + 1]) and not redis.call('HGET', entries, id)
      and not redis.call('ZSCORE', scheduled, id) then
    ids[#ids + 1] = id
  end
end
if #ids > 0 then
  local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
    messages = messages, expiries = expiries, failures = failures, dead = dead, throttled = throttled}
  keys.any_throttled = any_throttled
  require_types('hash', failures, 'zset', expiries)
  local group_of = groups_of(keys, ids)
  remove_dead(keys, ids, group_of)
end
if carrying and redis.call('HLEN', messages) + redis.call('ZCARD', dead) + redis.call('ZCARD', groups) == 0 then
  -- A closed partition that holds nothing accepts nothing.
  redis.call('HDEL', control, 'carrying')
end
return {'removed'}
