#!lua
-- Adds the reports of a call to the counts of their game; a repeat of the call changes nothing.
--
-- KEYS[1] stats (hash)
-- KEYS[2] counted (zset, scores: time of counting, ms)
-- ARGV[1] call
-- ARGV[2] accepted (count)
-- ARGV[3] dropped (count)
--
-- Returns 1, or 0 if the reports were counted before
local stats, counted = KEYS[1], KEYS[2]
local call, accepted, dropped = ARGV[1], ARGV[2], ARGV[3]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if redis.call('ZADD', counted, 'NX', string.format('%.0f', now), call) == 0 then
  return 0
end
redis.call('HINCRBY', stats, 'accepted', accepted)
redis.call('HINCRBY', stats, 'dropped', dropped)
return 1
