#!lua flags=allow-oom
-- Removes the buckets of groups that are full again: a full bucket has the same effect as none.
-- Returns {answer, number of removed buckets}
--   more    a further run may remove more
--   trimmed no bucket is full
-- Limits: removes up to 500 buckets. Cost: O(removed).
local rates, control = unpack(KEYS)

-- include layout

local foreign = read_control(control)
if foreign then
  return foreign
end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
local full = redis.call('ZRANGE', rates, '-inf', now, 'BYSCORE', 'LIMIT', 0, 500)
if #full > 0 then
  redis.call('ZREMRANGEBYRANK', rates, 0, #full - 1)
end
return {#full == 500 and 'more' or 'trimmed', #full}
