-- Moves messages within their group. Functions get keys as a table: grouped, groups and parked.
-- Needs: member_of

-- Gives an id the member of its new due time. Writes grouped last: after a run that stops half-way the next run completes it.
local function move_in_group(keys, id, group, member, due)
  local was_member = member_of(id, group)
  redis.call('ZADD', keys.groups, 0, member)
  redis.call('ZREM', keys.parked, was_member)
  if member ~= was_member then
    redis.call('ZREM', keys.groups, was_member)
    redis.call('HSET', keys.grouped, id, due .. '\0' .. group.name)
  end
end
