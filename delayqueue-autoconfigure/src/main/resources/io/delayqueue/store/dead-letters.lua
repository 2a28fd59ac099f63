#!lua flags=no-writes
-- Lists dead letters, the oldest first.
-- KEYS[1] failures (hash)
-- KEYS[2] dead (zset)
-- ARGV[1] offset (dead letters to skip)
-- ARGV[2] limit (1 to 1,000)
-- Returns for each dead letter: id, time of death (ms), failure (text, may be empty)
-- Cost: O(log N + limit). Never reads a record.
local failures, dead = KEYS[1], KEYS[2]
local offset, limit = tonumber(ARGV[1]), tonumber(ARGV[2])

local letters = redis.call('ZRANGE', dead, offset, offset + limit - 1, 'WITHSCORES')
local reply = {}
for i = 1, #letters, 2 do
  reply[#reply + 1] = letters[i]
  reply[#reply + 1] = tonumber(letters[i + 1])
  reply[#reply + 1] = redis.call('HGET', failures, letters[i]) or ''
end
return reply
