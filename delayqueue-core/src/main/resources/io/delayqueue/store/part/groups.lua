-- Reads the groups of messages. Functions get a table of keys: active, entries, grouped, groups, parked, scheduled.
-- Needs: require_types

-- Returns the group and due time of each id, or {} if there are no groups. Accesses each key if there are groups, so that Redis reports a
-- wrong type or missing right before the first write.
local function groups_of(keys, ids)
  if redis.call('HLEN', keys.grouped) == 0 then
    return {}
  end
  require_types('hash', keys.entries, 'zset', keys.groups, 'zset', keys.active, 'zset', keys.parked, 'zset', keys.scheduled)
  local found = redis.call('HMGET', keys.grouped, unpack(ids))
  for n, about in ipairs(found) do
    found[n] = about and {name = string.sub(about, 18), due = string.sub(about, 1, 16)}
  end
  return found
end

-- Returns the member of a dead letter in groups, even if it has no slot in the quota: it shows that the partition has a record of the group.
local function dead_member_of(id, group)
  return group.name .. '\2\0' .. id
end

-- Returns the member that a message has in groups and parked.
local function member_of(id, group)
  return group.name .. '\0' .. group.due .. '\0' .. id
end

-- Returns the member of groups by which calls that name no group find a message with a group.
local function finding_member_of(id)
  return '\1' .. id
end
