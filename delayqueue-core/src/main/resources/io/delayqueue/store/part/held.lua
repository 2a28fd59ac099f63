-- Finds whether a message belongs to a closed partition. The function gets keys as a table: groups and messages.

-- Whether the partition has a record of a group, dead letters included, or of an id without a group (name is empty).
local function is_held(keys, id, name)
  if name == '' then
    return redis.call('HEXISTS', keys.messages, id) == 1
  end
  local from, to = '[' .. name .. '\0', '(' .. name .. '\3'
  return #redis.call('ZRANGE', keys.groups, from, to, 'BYLEX', 'LIMIT', 0, 1) > 0
end
