#!lua flags=allow-oom
-- Removes the oldest ended messages from the history, if they are too old or too many.
-- ARGV[1] most (ended messages to keep; empty for the number in the stored setting)
-- Returns {more or trimmed, number of removed ended messages}
--   more    a further run may remove more
--   trimmed no ended message is too old, and there are not too many
-- Limits: removes up to 500 ended messages. Cost: O(removed).
local history, ends, control = unpack(KEYS)

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
local age, stored = string.match(kept or '', '^(%d+)|(%d+)$')
-- If a queue no longer keeps a history, the ended messages in it stay for their time.
local most = tonumber(ARGV[1]) or tonumber(stored or '0') > 0 and tonumber(stored) or math.huge
local removed = age and remove_old_ends(keys, tonumber(age), most, now, 500) or 0
if age and most == math.huge and redis.call('XLEN', history) == 0 then
  redis.call('HDEL', control, 'history')
end
return {removed >= 500 and 'more' or 'trimmed', removed}
