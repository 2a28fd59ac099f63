#!lua flags=allow-oom
-- Removes the oldest ends from the history that are too old or too many.
-- KEYS[1] history (stream)
-- KEYS[2] ends (hash)
-- KEYS[3] control (hash)
-- ARGV[1] all (1 to remove every end, because its epoch ends; else 0)
-- Returns {more or trimmed, removed}
--   more    there may be more to remove
--   trimmed none is too old, and there are not too many
-- Limits: removes up to 500 ends. Cost: O(removed).
local history, ends, control = KEYS[1], KEYS[2], KEYS[3]
local all = ARGV[1] == '1'

-- include layout
-- include types
-- include ends

local foreign, kept = read_control(control, 'history')
if foreign then
  return foreign
end

require_types('stream', history, 'hash', ends)
local time = redis.call('TIME')
local now, keys = time[1] * 1000 + math.floor(time[2] / 1000), {history = history, ends = ends}
local age, most = string.match(kept or '', '^(%d+)|(%d+)$')
-- If a queue no longer keeps a history, the ends that it has stay for their time.
most = all and 0 or tonumber(most or '0') > 0 and tonumber(most) or math.huge
local removed = age and remove_old_ends(keys, tonumber(age), most, now, 500) or 0
if age and most == math.huge and redis.call('XLEN', history) == 0 then
  redis.call('HDEL', control, 'history')
end
return {removed >= 500 and 'more' or 'trimmed', removed}
