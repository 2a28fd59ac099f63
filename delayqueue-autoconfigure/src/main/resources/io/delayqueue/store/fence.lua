#!lua flags=no-writes
-- Tells which deliveries are the current ones of their messages. Asked after the records have been read.
-- KEYS[1] entries (hash)
-- KEYS[2] failures (hash)
-- ARGV[n] id (text)
-- Returns {now (us), then for each id: its current stream entry id, its failures (text); empty if there is none}
-- Limits: at most 1,000 ids a call. Cost: O(ids). Never reads a record.
local entries, failures = KEYS[1], KEYS[2]

local current = redis.call('HMGET', entries, unpack(ARGV))
local failed = redis.call('HMGET', failures, unpack(ARGV))
local time = redis.call('TIME')
local reply = {time[1] * 1000000 + time[2]}
for n = 1, #ARGV do
  reply[#reply + 1] = current[n] or ''
  reply[#reply + 1] = failed[n] or ''
end
return reply
