#!lua flags=no-writes
-- Tells which deliveries are current, and whether any may be handled. Asked after the records have been read.
-- KEYS[1] entries (hash)
-- KEYS[2] failures (hash)
-- KEYS[3] expiries (zset)
-- KEYS[4] control (hash)
-- ARGV[n] id (text)
-- Returns {now (us), then for each id: its current stream entry id, its failures (text), its expiry (ms), each empty if
--   there is none; then 1 if the partition is paused, else 0}
-- Limits: at most 1,000 ids a call. Cost: O(ids). Never reads a record.
local entries, failures, expiries, control = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

-- include layout

local current = redis.call('HMGET', entries, unpack(ARGV))
local failed = redis.call('HMGET', failures, unpack(ARGV))
local expiry = redis.call('ZCARD', expiries) > 0 and redis.call('ZMSCORE', expiries, unpack(ARGV)) or {}
local time = redis.call('TIME')
local reply = {time[1] * 1000000 + time[2]}
for n = 1, #ARGV do
  reply[#reply + 1] = current[n] or ''
  reply[#reply + 1] = failed[n] or ''
  reply[#reply + 1] = expiry[n] and string.format('%.0f', math.floor(expiry[n])) or ''
end
reply[#reply + 1] = redis.call('HEXISTS', control, 'paused')
return reply
