#!lua flags=no-writes
-- Lists the messages of a group by due time, or parked messages by group and due time, beginning behind a given member.
-- ARGV[1] of (which messages to list: groups for the messages of a group, parked for parked messages)
-- ARGV[2] group (text, empty for all)
-- ARGV[3] behind (bytes: a member that an earlier run returned, which may have been removed since; empty to begin)
-- ARGV[4] limit (messages, 1 to 1,000)
-- Returns {more (if messages follow) or end, the last member (bytes, empty at the end), then for each message: id, due (ms),
--   failure (text, may be empty), state}
--   PENDING, READY, SCHEDULED, PARKED, DEAD the message is in this state
-- Cost: O(limit x log N). Never reads a record.
local scheduled, ready, entries, failures, dead, groups, parked = unpack(KEYS)
local of, group, behind, limit = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local source = of == 'groups' and groups or parked

-- include lease

local from = behind ~= '' and '(' .. behind or group ~= '' and '[' .. group .. '\0' or '-'
local to = group ~= '' and '(' .. group .. '\1' or '+'
local members = redis.call('ZRANGE', source, from, to, 'BYLEX', 'LIMIT', 0, limit + 1)
local reply = {#members > limit and 'more' or 'end', #members > limit and members[limit] or ''}
for n = 1, math.min(#members, limit) do
  local due, id = string.match(members[n], '%z(%d+)%z(.*)$')
  local entry = redis.call('HGET', entries, id)
  local state = 'PARKED'
  if entry then
    local lease, refused = read_lease(ready, entry)
    if refused then
      return refused
    end
    state = lease and 'PENDING' or 'READY'
  elseif redis.call('ZSCORE', scheduled, id) then
    state = 'SCHEDULED'
  elseif redis.call('ZSCORE', dead, id) then
    state = 'DEAD'
  end
  reply[#reply + 1] = id
  reply[#reply + 1] = tonumber(due)
  reply[#reply + 1] = redis.call('HGET', failures, id) or ''
  reply[#reply + 1] = state
end
return reply
