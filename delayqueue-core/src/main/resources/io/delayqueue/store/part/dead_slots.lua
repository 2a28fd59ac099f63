-- The slots of dead letters. The function gets keys as a table: active, entries, grouped, groups, parked and scheduled.
-- Needs: dead_member_of, free_slot, member_of

-- Frees the slots of an id that becomes a dead letter, which may keep its slot in the quota.
local function leave_group_dead(keys, id, group, keeps_quota)
  redis.call('ZADD', keys.groups, 0, dead_member_of(id, group))
  if not keeps_quota then
    redis.call('ZREM', keys.groups, member_of(id, group))
  end
  redis.call('ZREM', keys.parked, member_of(id, group))
  return free_slot(keys, id, group)
end
