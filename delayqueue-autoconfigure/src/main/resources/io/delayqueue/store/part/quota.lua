-- The places that a group's quota has, and what is dropped to make room.
-- Needs: active, coming, dead, done, dropped, drops, entries, expiries, failures, grouped, groups, messages, now,
--   parked, plans, quota, reply, rooms, scheduled, taken, unpark, window

local function room_of(name)
  if not rooms[name] then
    local count = redis.call('ZLEXCOUNT', groups, '[' .. name .. '\0', '(' .. name .. '\1')
    for _, member in pairs(coming) do
      if string.sub(member, 1, #name + 1) == name .. '\0' and redis.call('ZSCORE', groups, member) then
        count = count - 1
      end
    end
    rooms[name] = {count = count, offset = 0, members = {}, looked = 0, fresh = {}}
  end
  return rooms[name]
end

-- The oldest of a group that no consumer has or is about to get, and that this call has not touched.
local function oldest_of(name, room)
  for _ = 1, 1000 do
    if room.looked == #room.members then
      -- Many in one call: those that a consumer has come first, and each drop goes on where the one before has ended.
      room.members = redis.call('ZRANGE', groups, '[' .. name .. '\0', '(' .. name .. '\1', 'BYLEX', 'LIMIT', room.offset, 100)
      room.offset, room.looked, room.ids = room.offset + #room.members, 0, {}
      if #room.members == 0 then
        break
      end
      for n, member in ipairs(room.members) do
        room.ids[n] = string.sub(member, #name + 19)
      end
      room.entry_of = redis.call('HMGET', entries, unpack(room.ids))
    end
    room.looked = room.looked + 1
    local id, member = room.ids[room.looked], room.members[room.looked]
    if not taken[id] and not coming[id] and not room.entry_of[room.looked] and not redis.call('ZSCORE', dead, id)
        and not redis.call('ZSCORE', active, name .. '\0' .. id) then
      taken[id] = true
      return {id = id, member = member, record = redis.call('HGET', messages, id)}
    end
  end
  -- What this call itself has brought is the youngest.
  local youngest = table.remove(room.fresh, 1)
  if youngest then
    plans[youngest.n] = nil
  end
  return youngest
end

-- Whether a group has room for one more, if need be after dropping its oldest.
local function make_room(name, n)
  if name == '' or quota == 0 then
    return true
  end
  local room = room_of(name)
  -- Two at most: a group that was fuller than its quota comes down to it.
  for _ = 1, 2 do
    if room.count < quota then
      break
    end
    local oldest = drops and oldest_of(name, room)
    if not oldest then
      break
    end
    room.count = room.count - 1
    oldest.by = n
    dropped[#dropped + 1] = oldest
  end
  if room.count < quota or (drops and #dropped > 0 and dropped[#dropped].by == n) then
    room.count = room.count + 1
    return true
  end
  return false
end

local function drop(oldest)
  if oldest.record then
    redis.call('ZADD', done, string.format('%.0f', now + window), '\0' .. string.sub(oldest.record, 18, 28))
  end
  -- Whoever schedules the id next and finds failures clears what is left.
  redis.call('HSET', failures, oldest.id, '0|0|0||')
  redis.call('HDEL', messages, oldest.id)
  local place = redis.call('ZSCORE', scheduled, oldest.id)
  redis.call('ZREM', scheduled, oldest.id)
  redis.call('ZREM', expiries, oldest.id)
  redis.call('ZREM', parked, oldest.member)
  redis.call('ZREM', groups, oldest.member)
  redis.call('HDEL', grouped, oldest.id)
  if place and tonumber(place) <= now then
    -- Perhaps it was brought back for a place that is free.
    reply[5] = reply[5] + unpark(string.match(oldest.member, '^%Z*'), 1)
  end
  redis.call('HDEL', failures, oldest.id)
end
