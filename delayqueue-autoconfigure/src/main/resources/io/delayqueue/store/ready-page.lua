#!lua flags=no-writes
-- Lists messages that are due, either those that nobody has yet or those that a consumer has, in the order of the stream.
-- KEYS[1] ready (stream)
-- KEYS[2] entries (hash)
-- KEYS[3] failures (hash)
-- ARGV[1] of (ready or pending)
-- ARGV[2] entry (stream entry id from behind which to go on, whether it is still there or not; empty to begin)
-- ARGV[3] limit (entries to look at, 1 to 250)
-- Returns {more (1 if others follow those that were looked at, else 0), entry of the last one looked at (empty if there
--   was none), then for each message: id, entry, consumer (empty if nobody has it), idle (ms), failure (may be empty)}
-- Limits: entries that are not their message's current one are looked at, but not listed. Cost: O(limit).
local ready, entries, failures = KEYS[1], KEYS[2], KEYS[3]
local of, entry, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])

redis.call('HLEN', entries)
redis.call('HLEN', failures)
-- include readers
local last_delivered = readers and readers['last-delivered-id']

-- Which of two entries is the later one is for Redis to say: a double cannot hold their ids.
local from, to = (entry == '') and '-' or '(' .. entry, '+'
if of == 'pending' then
  if not last_delivered then
    return {0, ''}
  end
  to = last_delivered
elseif last_delivered and #redis.call('XRANGE', ready, from, last_delivered, 'COUNT', 1) > 0 then
  from = '(' .. last_delivered
end

local found = redis.call('XRANGE', ready, from, to, 'COUNT', limit)
if #found == 0 then
  return {0, ''}
end
local first, last = found[1][1], found[#found][1]
local ids, lease_of = {}, {}
for n, one in ipairs(found) do
  ids[n] = one[2][2]
end
if of == 'pending' then
  for _, lease in ipairs(redis.call('XPENDING', ready, 'consumers', first, last, limit)) do
    lease_of[lease[1]] = lease
  end
end
local entry_of, failure_of = redis.call('HMGET', entries, unpack(ids)), redis.call('HMGET', failures, unpack(ids))
local more = #redis.call('XRANGE', ready, '(' .. last, to, 'COUNT', 1)
local reply = {more, last}
for n, one in ipairs(found) do
  local lease
  if of == 'pending' then
    -- Deleted entries that are pending still may have taken its place in the list
    lease = lease_of[one[1]] or redis.call('XPENDING', ready, 'consumers', one[1], one[1], 1)[1]
  end
  if entry_of[n] == one[1] and (lease or of == 'ready') then
    reply[#reply + 1] = ids[n]
    reply[#reply + 1] = one[1]
    reply[#reply + 1] = lease and lease[2] or ''
    reply[#reply + 1] = lease and lease[3] or 0
    reply[#reply + 1] = failure_of[n] or ''
  end
end
return reply
