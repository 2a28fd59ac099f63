#!lua flags=no-writes,allow-oom
-- Tells the time of the server that a key lives on.
--
-- KEYS[1] key (any type), not touched
--
-- Returns the time (ms)
local time = redis.call('TIME')
return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
