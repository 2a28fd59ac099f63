-- Applies the quota of groups in a schedule call, and drops messages to free slots. Functions get a table of keys and the state of the call.
-- Needs: add_end, finding_member_of, token_ends, unpark

-- Returns the state of a group in this call: how many slots of its quota are in use, and which messages it could drop.
local function quota_of(keys, call, name)
  if not call.groups[name] then
    local count = redis.call('ZLEXCOUNT', keys.groups, '[' .. name .. '\0', '(' .. name .. '\1')
    for _, member in pairs(call.remains) do
      if string.sub(member, 1, #name + 1) == name .. '\0' and redis.call('ZSCORE', keys.groups, member) then
        count = count - 1
      end
    end
    call.groups[name] = {count = count, offset = 0, members = {}, checked = 0, added = {}}
  end
  return call.groups[name]
end

-- Returns the oldest message of a group that can be dropped: neither ready nor pending, nor a dead letter, nor written by this call.
local function oldest_of(keys, call, name, group)
  for _ = 1, 1000 do
    if group.checked == #group.members then
      -- Reads pages of members. Each drop of this call continues where the last drop ended, because messages that it skipped come first.
      local from, to = '[' .. name .. '\0', '(' .. name .. '\1'
      group.members = redis.call('ZRANGE', keys.groups, from, to, 'BYLEX', 'LIMIT', group.offset, 100)
      group.offset, group.checked, group.ids = group.offset + #group.members, 0, {}
      if #group.members == 0 then
        break
      end
      for n, member in ipairs(group.members) do
        group.ids[n] = string.sub(member, #name + 19)
      end
      group.entry_of = redis.call('HMGET', keys.entries, unpack(group.ids))
    end
    group.checked = group.checked + 1
    local id, member = group.ids[group.checked], group.members[group.checked]
    if not call.taken[id] and not call.remains[id] and not group.entry_of[group.checked]
        and not redis.call('ZSCORE', keys.dead, id) and not redis.call('ZSCORE', keys.active, name .. '\0' .. id) then
      call.taken[id] = true
      return {id = id, member = member, record = redis.call('HGET', keys.messages, id)}
    end
  end
  -- The messages that this call stores are the youngest, so they are dropped last.
  return table.remove(group.added, 1)
end

-- Takes a slot of the quota for a message, if necessary after dropping the oldest messages of the group. Returns whether there was a slot.
local function take_slot(keys, call, message)
  if message.name == '' or call.quota == 0 then
    return true
  end
  local group, drops = quota_of(keys, call, message.name), 0
  -- Each new message drops at most two old ones, so that a group above its quota shrinks to the quota.
  for _ = 1, call.drops_oldest and 2 or 0 do
    local oldest = group.count >= call.quota and oldest_of(keys, call, message.name, group)
    if not oldest then
      break
    end
    drops = drops + 1
    oldest.is_planned, oldest.dropped_for = false, message.n
    call.dropped[#call.dropped + 1] = oldest
    group.count = group.count - 1
  end
  if group.count >= call.quota and drops == 0 then
    return false
  end
  group.count = group.count + 1
  return true
end

-- Removes a stored message that is dropped.
local function drop(keys, call, oldest)
  local id = oldest.id
  local failure = call.recorded and redis.call('HGET', keys.failures, id)
  if oldest.record then
    local token = string.sub(oldest.record, 18, 28)
    redis.call('ZADD', keys.done, token_ends(token, call.now, call.ends), '\0' .. token)
    add_end(call.recorded, id, failure)
  end
  -- If this run stops, the next schedule call of this id finds the failures, and removes the rest of the data.
  redis.call('HSET', keys.failures, id, '0|0|0||')
  redis.call('HDEL', keys.messages, id)
  local score = redis.call('ZSCORE', keys.scheduled, id)
  redis.call('ZREM', keys.scheduled, id)
  redis.call('ZREM', keys.expiries, id)
  redis.call('ZREM', keys.parked, oldest.member)
  redis.call('ZREM', keys.groups, oldest.member, finding_member_of(id))
  redis.call('HDEL', keys.grouped, id)
  if score and tonumber(score) <= call.now then
    -- The dropped message may have been unparked because of a free slot, which the next parked message gets now.
    call.unparked = call.unparked + unpark(keys, string.match(oldest.member, '^%Z*'), 1)
  end
  redis.call('HDEL', keys.failures, id)
end
