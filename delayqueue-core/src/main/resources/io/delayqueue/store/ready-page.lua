#!lua flags=no-writes
-- Lists the ready or the pending messages of a partition, in the order of the stream.
-- ARGV[1] of (state of the messages to list: ready or pending)
-- ARGV[2] entry (id of the stream entry behind which to continue, which may have been removed since; empty to begin)
-- ARGV[3] limit (entries to read, 1 to 250)
-- Returns {more (if entries follow those that were read) or end, the last entry that was read (empty if there was none), then for
--   each message: id, entry, consumer (empty if it is not pending), idle (ms), failure (may be empty)}
-- Limits: reads, but does not list, entries that are not the current entry of their message. Cost: O(limit).
local ready, entries, failures = unpack(KEYS)
local of, entry, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])

-- include types
-- include consumer_group

require_types('hash', entries, 'hash', failures)
local group, refused = read_consumer_group(ready)
if refused then
  return refused
end
local last_delivered = group and group['last-delivered-id']

-- Redis compares the entry ids, because a number of Lua (a double) cannot hold them.
local from, to = (entry == '') and '-' or '(' .. entry, '+'
if of == 'pending' then
  if not last_delivered then
    return {'end', ''}
  end
  to = last_delivered
elseif last_delivered and #redis.call('XRANGE', ready, from, last_delivered, 'COUNT', 1) > 0 then
  from = '(' .. last_delivered
end

local found = redis.call('XRANGE', ready, from, to, 'COUNT', limit)
if #found == 0 then
  return {'end', ''}
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
local more = #redis.call('XRANGE', ready, '(' .. last, to, 'COUNT', 1) > 0
local reply = {more and 'more' or 'end', last}
for n, one in ipairs(found) do
  local lease
  if of == 'pending' then
    -- XPENDING also lists pending entries that were deleted, so its limit may have cut this entry off
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
