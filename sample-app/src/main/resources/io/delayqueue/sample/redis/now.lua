#!lua flags=no-writes,allow-oom
-- Reads the time of the server that stores a key.
--
-- KEYS[1] key (any type), not accessed
--
-- Returns the time (ms)
local time = redis.call('TIME')
return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
