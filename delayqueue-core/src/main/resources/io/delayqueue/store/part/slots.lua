-- Frees the slots of groups. The key groups contains all unfinished messages, the key active those that have an active slot, and the key
-- parked those that wait for an active slot. Functions get a table of keys: active, entries, grouped, groups, parked, scheduled.
-- Needs: dead_member_of, finding_member_of, member_of, unpark

-- Gives the active slot of a message to the next parked message of its group. A due scheduled message (was_next) may have been unparked for a
-- free slot, so this slot too goes to the next parked message. Returns how many messages were unparked.
local function free_slot(keys, id, group, was_next)
  if redis.call('ZREM', keys.active, group.name .. '\0' .. id) == 0 and not was_next then
    return 0
  end
  return unpark(keys, group.name, 1)
end

-- Removes a message from groups and parked.
local function remove_member(keys, id, group)
  redis.call('ZREM', keys.groups, member_of(id, group), dead_member_of(id, group), finding_member_of(id))
  redis.call('ZREM', keys.parked, member_of(id, group))
end

-- Removes a message from groups, parked and active. Returns how many parked messages were unparked for its slot.
local function leave_group(keys, id, group, was_next)
  remove_member(keys, id, group)
  return free_slot(keys, id, group, was_next)
end
