-- The slots of groups: groups has all unfinished messages, active those that hold an active slot, parked those that wait for
-- one. Functions get keys as a table: active, entries, grouped, groups, parked and scheduled.
-- Needs: dead_member_of, member_of, unpark

-- Frees the active slot of an id for the next parked message. A due scheduled message may have been unparked for a free
-- slot: if it leaves, that slot is for the next parked message too.
local function free_slot(keys, id, group, was_next)
  if redis.call('ZREM', keys.active, group.name .. '\0' .. id) == 0 and not was_next then
    return 0
  end
  return unpark(keys, group.name, 1)
end

-- Removes an id from groups and parked.
local function remove_member(keys, id, group)
  redis.call('ZREM', keys.groups, member_of(id, group), dead_member_of(id, group))
  redis.call('ZREM', keys.parked, member_of(id, group))
end

-- Removes an id from groups, parked and active.
local function leave_group(keys, id, group, was_next)
  remove_member(keys, id, group)
  return free_slot(keys, id, group, was_next)
end
