#!lua flags=no-writes
-- Lists how messages of a partition have ended; the message that ended last is first.
-- ARGV[1] from (id of the history entry at which to begin; with '(' before it, the list begins behind this entry; + for the latest)
-- ARGV[2] limit (ended messages, 1 to 1,001)
-- Returns {'listed', then for each ended message: entry, text (id, group, letter for how it ended, attempts, where, last failure,
--   separated by NUL)}
-- Cost: O(limit).
local history = unpack(KEYS)
local from, limit = ARGV[1], tonumber(ARGV[2])

local reply = {'listed'}
for _, one in ipairs(redis.call('XREVRANGE', history, from, '-', 'COUNT', limit)) do
  reply[#reply + 1] = one[1]
  reply[#reply + 1] = one[2][2]
end
return reply
