-- Finds whether a closed partition still accepts a message. The function gets a table of keys: groups, messages.

-- Whether the partition has a message of a group, dead letters included, or, if name is empty, a message with an id.
local function is_held(keys, id, name)
  if name == '' then
    return redis.call('HEXISTS', keys.messages, id) == 1
  end
  local from, to = '[' .. name .. '\0', '(' .. name .. '\3'
  return #redis.call('ZRANGE', keys.groups, from, to, 'BYLEX', 'LIMIT', 0, 1) > 0
end
