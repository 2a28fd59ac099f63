-- Decides about due messages that have a group: a sweep moves them to the stream or parks them. Functions get a table of keys (active,
-- entries, grouped, groups, parked, scheduled), and the state of the sweep (run).
-- Needs: find_first_due, take_token, tokens_of

-- Returns the limit of a group, and the number of its free slots: how many more of its messages may be ready or pending.
local function slots_of(keys, run, name)
  if not run.slots[name] then
    local most = run.limits[name] or run.limit
    local from, to = '[' .. name .. '\0', '(' .. name .. '\1'
    run.slots[name] = {limit = most, free = most == 0 and run.batch or most - redis.call('ZLEXCOUNT', keys.active, from, to)}
  end
  return run.slots[name]
end

-- Whether an older message of the same group is parked and waits for a slot, or, in a group with limit 1, may be due.
local function is_overtaking(keys, run, name, member, of_group, id)
  if run.any_parked and #redis.call('ZRANGE', keys.parked, '[' .. name .. '\0', '(' .. member, 'BYLEX', 'LIMIT', 0, 1) > 0 then
    run.to_unpark[name] = math.min(of_group.free, 50)
    return true
  end
  if of_group.limit == 1 and of_group.first == nil then
    of_group.first = find_first_due(keys, run.search, run.now, name, member, id)
  end
  return of_group.limit == 1 and of_group.first ~= id
end

local function choose(run, id)
  run.ids[#run.ids + 1], run.is_chosen[id] = id, true
end

local function take_slot(run, of_group, slot)
  of_group.free = of_group.free - 1
  run.taken_slots[#run.taken_slots + 1] = 0
  run.taken_slots[#run.taken_slots + 1] = slot
end

local function park(run, id, member)
  run.parking[#run.parking + 1] = id
  run.parking_members[#run.parking_members + 1] = 0
  run.parking_members[#run.parking_members + 1] = member
end

-- Plans to move a message to the stream or to park it. A message that is checked before older ones (is_early) stays scheduled instead of being parked.
-- A message that waits for a token or the end of a hold gives up its slot. An expired message needs no token, but waits for the end of a
-- hold.
local function decide(keys, run, id, group, has_expired, is_early)
  if run.is_chosen[id] then
    return
  elseif not group then
    choose(run, id)
    return
  end
  local name, member, slot = group.name, group.name .. '\0' .. group.due .. '\0' .. id, group.name .. '\0' .. id
  if run.held[name] or not has_expired and tokens_of(run, name) == 0 then
    run.throttled[name] = true
    if not is_early then
      park(run, id, member)
      run.left_slots[#run.left_slots + 1] = slot
    end
    return
  end
  if not redis.call('ZSCORE', keys.active, slot) then
    local of_group = slots_of(keys, run, name)
    if of_group.free <= 0 or is_overtaking(keys, run, name, member, of_group, id) then
      if not is_early then
        park(run, id, member)
      end
      return
    end
    take_slot(run, of_group, slot)
  end
  choose(run, id)
  if not has_expired then
    take_token(run, name)
  end
  if run.any_parked then
    run.unparked[#run.unparked + 1] = member
  end
end
