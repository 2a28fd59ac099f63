-- Frees the slots that a message holds in its group when the message becomes a dead letter. The function gets a table of keys: active,
-- entries, grouped, groups, parked, scheduled.
-- Needs: dead_member_of, free_slot, member_of

-- Frees the slots of a message that becomes a dead letter. If keeps_quota is set, the dead letter keeps its slot in the quota of its group.
local function leave_group_dead(keys, id, group, keeps_quota)
  redis.call('ZADD', keys.groups, 0, dead_member_of(id, group))
  if not keeps_quota then
    redis.call('ZREM', keys.groups, member_of(id, group))
  end
  redis.call('ZREM', keys.parked, member_of(id, group))
  return free_slot(keys, id, group)
end
