#!lua flags=allow-oom
-- Pauses, resumes, drains, reopens or limits a partition: (neither) -> (paused), (draining), (limited), and back.
-- ARGV[1] switch (paused, draining or limited)
-- ARGV[2] on (1 to turn the switch on, 0 to turn it off)
-- Returns {'set', paused since, draining since, limited since (each ms, 0 if the switch is off), visibility timeout (ms, 0 if none
--   is stored), history (its setting, empty if none)}
-- Limits: if the switch is already on, turning it on again does not change its time. Cost: O(1).
local control = unpack(KEYS)
local switch, on = ARGV[1], ARGV[2] == '1'

-- include layout

local foreign, paused_since, draining_since, limited_since, kept = read_control(control, 'paused', 'draining', 'limited', 'history')
if foreign then
  return foreign
end

local since = {paused = paused_since, draining = draining_since, limited = limited_since}
if on and not since[switch] then
  local time = redis.call('TIME')
  since[switch] = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  redis.call('HSET', control, switch, since[switch])
elseif not on and since[switch] then
  since[switch] = nil
  redis.call('HDEL', control, switch)
end
return {'set', tonumber(since.paused or '0') or 0, tonumber(since.draining or '0') or 0,
  tonumber(since.limited or '0') or 0, tonumber(redis.call('HGET', control, 'visibility-timeout') or '0') or 0, kept or ''}
