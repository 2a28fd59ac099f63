-- What groups have of their messages: all that wait or run, those that hold an active place, and those that are parked.
-- Needs: active, entries, grouped, groups, parked, scheduled

-- The groups of ids. Refuses now what could not be written to later.
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

-- Lets the first that are parked in a group have places again: PARKED -> SCHEDULED.
local function unpark(name, places)
  local waiting = redis.call('ZRANGE', parked, '[' .. name .. '\0', '(' .. name .. '\1', 'BYLEX', 'LIMIT', 0, places)
  for _, member in ipairs(waiting) do
    local due, id = string.sub(member, #name + 2, #name + 17), string.sub(member, #name + 19)
    -- Anything else is what a script that stopped half-way has left.
    if redis.call('HGET', grouped, id) == due .. '\0' .. name and redis.call('HEXISTS', entries, id) == 0 then
      redis.call('ZADD', scheduled, due, id)
    end
    redis.call('ZREM', parked, member)
  end
  return #waiting
end

-- Frees the place of an id among those that are ready or pending, for the next that is parked. Who was to be swept may
-- have been brought back for a place that is free: then that is for the next too.
local function free_place(id, group, was_next)
  if redis.call('ZREM', active, group.name .. '\0' .. id) == 0 and not was_next then
    return 0
  end
  return unpark(group.name, 1)
end

-- Takes an id out of what its group has waiting; what is dead may count on.
local function leave_places(id, group, counts)
  if not counts then
    redis.call('ZREM', groups, member_of(id, group))
  end
  redis.call('ZREM', parked, member_of(id, group))
end

-- Takes an id out of all that its group has of it.
local function leave_group(id, group, counts, was_next)
  leave_places(id, group, counts)
  return free_place(id, group, was_next)
end

-- Takes ids out of all that their groups have of them; at once unless any message is parked, which could have a place.
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

-- Gives an id the member of its new due time, which grouped tells last: a run that stops half-way is carried out by the next.
local function move_in_group(id, group, member, due)
  local was_member = member_of(id, group)
  redis.call('ZADD', groups, 0, member)
  redis.call('ZREM', parked, was_member)
  if member ~= was_member then
    redis.call('ZREM', groups, was_member)
    redis.call('HSET', grouped, id, due .. '\0' .. group.name)
  end
end
