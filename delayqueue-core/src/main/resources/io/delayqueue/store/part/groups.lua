-- The messages of groups: groups has all unfinished ones, active those that hold an active slot, parked those that are parked.
-- Needs: active, entries, grouped, groups, parked, scheduled

-- The groups of ids. Accesses every key now, so that an error shows before the first write.
local function groups_of(ids)
  if redis.call('HLEN', grouped) == 0 then
    return {}
  end
  redis.call('ZCARD', groups)
  redis.call('ZCARD', active)
  redis.call('ZCARD', parked)
  redis.call('ZCARD', scheduled)
  redis.call('HLEN', entries)
  local found = redis.call('HMGET', grouped, unpack(ids))
  for n, about in ipairs(found) do
    found[n] = about and {name = string.sub(about, 18), due = string.sub(about, 1, 16)}
  end
  return found
end

local function member_of(id, group)
  return group.name .. '\0' .. group.due .. '\0' .. id
end

-- Schedules the first parked messages of a group again: PARKED -> SCHEDULED.
local function unpark(name, places)
  local waiting = redis.call('ZRANGE', parked, '[' .. name .. '\0', '(' .. name .. '\1', 'BYLEX', 'LIMIT', 0, places)
  for _, member in ipairs(waiting) do
    local due, id = string.sub(member, #name + 2, #name + 17), string.sub(member, #name + 19)
    -- A member without this state was left by a script that stopped half-way.
    if redis.call('HGET', grouped, id) == due .. '\0' .. name and redis.call('HEXISTS', entries, id) == 0 then
      redis.call('ZADD', scheduled, due, id)
    end
    redis.call('ZREM', parked, member)
  end
  return #waiting
end

-- Frees the active slot of an id for the next parked message. A due scheduled message may have been unparked for a free
-- slot: if it leaves, that slot is for the next parked message too.
local function free_place(id, group, was_next)
  if redis.call('ZREM', active, group.name .. '\0' .. id) == 0 and not was_next then
    return 0
  end
  return unpark(group.name, 1)
end

-- Removes an id from groups and parked; a dead letter may keep its slot in the quota.
local function leave_places(id, group, counts)
  if not counts then
    redis.call('ZREM', groups, member_of(id, group))
  end
  redis.call('ZREM', parked, member_of(id, group))
end

-- Removes an id from groups, parked and active.
local function leave_group(id, group, counts, was_next)
  leave_places(id, group, counts)
  return free_place(id, group, was_next)
end

-- Removes ids from groups, parked and active; in one write unless any message is parked, which could get a freed slot.
local function leave_groups(ids, group_of)
  if redis.call('ZCARD', parked) > 0 then
    local back = 0
    for n, id in ipairs(ids) do
      back = back + leave_group(id, group_of[n])
    end
    return back
  end
  local places, holding = {}, {}
  for n, id in ipairs(ids) do
    places[n] = member_of(id, group_of[n])
    holding[n] = group_of[n].name .. '\0' .. id
  end
  redis.call('ZREM', groups, unpack(places))
  redis.call('ZREM', active, unpack(holding))
  return 0
end

-- Gives an id the member of its new due time. Writes grouped last: after a run that stops half-way the next run completes it.
local function move_in_group(id, group, member, due)
  local was_member = member_of(id, group)
  redis.call('ZADD', groups, 0, member)
  redis.call('ZREM', parked, was_member)
  if member ~= was_member then
    redis.call('ZREM', groups, was_member)
    redis.call('HSET', grouped, id, due .. '\0' .. group.name)
  end
end
