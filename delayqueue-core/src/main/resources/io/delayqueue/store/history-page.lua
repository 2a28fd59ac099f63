#!lua flags=no-writes
-- Lists how messages have ended, the latest end first.
-- KEYS[1] history (stream)
-- ARGV[1] from (entry, with '(' for the ones before it; + to begin)
-- ARGV[2] limit (ends, 1 to 1,001)
-- Returns {'listed', then for each end: entry, text (id, group, letter of how, attempts, where, last failure, separated by NUL)}
-- Cost: O(limit).
local history = KEYS[1]
local from, limit = ARGV[1], tonumber(ARGV[2])

local reply = {'listed'}
for _, one in ipairs(redis.call('XREVRANGE', history, from, '-', 'COUNT', limit)) do
  reply[#reply + 1] = one[1]
  reply[#reply + 1] = one[2][2]
end
return reply
