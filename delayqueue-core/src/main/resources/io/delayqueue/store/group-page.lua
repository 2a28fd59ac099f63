#!lua flags=no-writes
-- Lists the messages of groups, or parked messages, by group and due time, beginning behind a given member.
-- ARGV[1] of (which messages to list: groups for those with a slot in the quota of their group, all for these messages and the dead
--   letters of groups, parked for parked messages)
-- ARGV[2] from (bytes: the list begins at this member; empty for the first)
-- ARGV[3] to (bytes: the list ends before this member; empty for no end)
-- ARGV[4] behind (bytes: a member that an earlier run returned, which may have been removed since; empty to begin)
-- ARGV[5] limit (messages, 1 to 1,000)
-- ARGV[6] state (text: lists only messages in this state, of the first 250 that the run reads; empty for any)
-- Returns {more (if messages follow) or end, the last member that was read (bytes, empty at the end), then for each message: id,
--   due (ms, of a dead letter of all when it was dead-lettered), failure (text, may be empty), state}
--   PENDING, READY, SCHEDULED, PARKED, DEAD the message is in this state
-- Cost: O(limit x log N), or O(250 x log N) with a state. Never reads a record.
local scheduled, ready, entries, failures, dead, groups, parked = unpack(KEYS)
local of, first, last, behind, limit, only = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local source = of == 'parked' and parked or groups

-- include lease

local scan = only == '' and limit or math.max(limit, 250)
local from = behind ~= '' and '(' .. behind or first ~= '' and '[' .. first or '-'
local to = last ~= '' and '(' .. last or '+'
local members = redis.call('ZRANGE', source, from, to, 'BYLEX', 'LIMIT', 0, scan + 1)
local reply, read, listed = {'end', ''}, 0, 0

-- Returns the id, the time and the state of a member; of all, a dead letter has two members, one of which is left out.
local function read_member(member)
  local due, id = string.match(member, '%z(%d+)%z(.*)$')
  if not id then
    id = string.match(member, '\2%z(.*)$')
    return id, redis.call('ZSCORE', dead, id), 'DEAD'
  end
  local entry = redis.call('HGET', entries, id)
  if entry then
    local lease, refused = read_lease(ready, entry)
    return id, due, lease and 'PENDING' or 'READY', refused
  elseif redis.call('ZSCORE', scheduled, id) then
    return id, due, 'SCHEDULED'
  elseif redis.call('ZSCORE', dead, id) then
    return id, of ~= 'all' and due, 'DEAD'
  end
  return id, due, 'PARKED'
end

for n = 1, math.min(#members, scan) do
  if listed == limit then
    break
  end
  read = n
  local id, millis, state, refused = read_member(members[n])
  if refused then
    return refused
  end
  if millis and (only == '' or only == state) then
    listed = listed + 1
    reply[#reply + 1] = id
    reply[#reply + 1] = tonumber(millis)
    reply[#reply + 1] = redis.call('HGET', failures, id) or ''
    reply[#reply + 1] = state
  end
end
if read < #members then
  reply[1], reply[2] = 'more', members[read]
end
return reply
