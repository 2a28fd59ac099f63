#!lua flags=allow-oom
-- Holds a partition or a group: scripts deliver none of its messages until a time. If the stored hold ends later than the
-- new hold, the stored hold stays.
-- ARGV[1] group (text, empty for the whole partition)
-- ARGV[2] until (ms since 1970, the end of the hold)
-- ARGV[3] about (text, opaque: the origin and the reason of the hold)
-- Returns {answer, now (us), before (ms, the end of the hold before this run, 0 if there was none), the hold that is stored now (16
--   digits of its end, then about)}
--   held  the hold is stored
--   kept  the stored hold ends later and stays; nothing was written
--   past  the end of the hold has passed; nothing was written
-- Cost: O(1). Removes a few holds that have ended.
local control, holds = unpack(KEYS)
local group, till, about = ARGV[1], tonumber(ARGV[2]), ARGV[3]

-- include layout
-- include holds

local foreign, latest = read_control(control, 'holds')
if foreign then
  return foreign
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stored = redis.call('HGET', holds, group)
local before = end_of_hold(stored, now)
local wanted = string.format('%016.0f', till) .. about
local answer = 'held'
if till <= now then
  answer = 'past'
elseif before and before >= till and stored ~= wanted then
  answer = 'kept'
else
  local found = redis.call('HRANDFIELD', holds, 10, 'WITHVALUES')
  -- Writes the latest end to control first, because scripts ignore a hold that ends later than the latest end in control.
  if not latest or tonumber(latest) < till then
    redis.call('HSET', control, 'holds', string.format('%.0f', till))
  end
  redis.call('HSET', holds, group, wanted)
  stored = wanted
  for n = 1, #found, 2 do
    if found[n] ~= group and not end_of_hold(found[n + 1], now) then
      redis.call('HDEL', holds, found[n])
    end
  end
end
return {answer, time[1] * 1000000 + time[2], before or 0, stored or ''}
