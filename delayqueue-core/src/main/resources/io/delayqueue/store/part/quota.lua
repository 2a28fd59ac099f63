-- The free slots in a group's quota, and the messages that are dropped to free some.
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

-- The oldest message of a group that no consumer holds or is about to get, and that this call has not written.
local function oldest_of(name, room)
  for _ = 1, 1000 do
    if room.looked == #room.members then
      -- Many in one call: messages that a consumer holds come first, and each drop continues where the last one ended.
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
  -- The messages of this call are the youngest.
  local youngest = table.remove(room.fresh, 1)
  if youngest then
    plans[youngest.n] = nil
  end
  return youngest
end

-- Whether a group has a free slot for one more message, if necessary after dropping its oldest.
local function make_room(name, n)
  if name == '' or quota == 0 then
    return true
  end
  local room = room_of(name)
  -- At most two drops: a group above its quota shrinks to the quota.
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
  -- The next schedule of this id removes the remains if it finds failures.
  redis.call('HSET', failures, oldest.id, '0|0|0||')
  redis.call('HDEL', messages, oldest.id)
  local place = redis.call('ZSCORE', scheduled, oldest.id)
  redis.call('ZREM', scheduled, oldest.id)
  redis.call('ZREM', expiries, oldest.id)
  redis.call('ZREM', parked, oldest.member)
  redis.call('ZREM', groups, oldest.member)
  redis.call('HDEL', grouped, oldest.id)
  if place and tonumber(place) <= now then
    -- It may have been unparked for a free slot.
    reply[5] = reply[5] + unpark(string.match(oldest.member, '^%Z*'), 1)
  end
  redis.call('HDEL', failures, oldest.id)
end
