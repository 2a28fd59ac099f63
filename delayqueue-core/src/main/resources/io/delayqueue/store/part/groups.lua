-- The groups of messages. Functions get keys as a table: active, entries, grouped, groups, parked and scheduled.
-- Needs: require_types

-- The groups of ids. Accesses every key now, so that an error shows before the first write.
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

-- The member in groups of a dead letter, whether or not it counts against the quota: it shows that the group has a record here.
local function dead_member_of(id, group)
  return group.name .. '\2\0' .. id
end

-- The member of an id in groups and parked.
local function member_of(id, group)
  return group.name .. '\0' .. group.due .. '\0' .. id
end
