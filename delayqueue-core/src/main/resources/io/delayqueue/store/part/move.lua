-- Moves messages to a new position in the order of their group. The function gets a table of keys: grouped, groups, parked.
-- Needs: member_of

-- Replaces the member of a message in groups when its due time changes. Writes grouped last, so that a repeat of a stopped run completes it.
local function move_in_group(keys, id, group, member, due)
  local was_member = member_of(id, group)
  redis.call('ZADD', keys.groups, 0, member)
  redis.call('ZREM', keys.parked, was_member)
  if member ~= was_member then
    redis.call('ZREM', keys.groups, was_member)
    redis.call('HSET', keys.grouped, id, due .. '\0' .. group.name)
  end
end
