-- Removes dead letters. The function gets a table of keys.
-- Needs: leave_group

-- Removes dead letters, and their members in groups: DEAD -> (none). A message ends when the script removes its record.
local function remove_dead(keys, ids, group_of)
  redis.call('HDEL', keys.messages, unpack(ids))
  redis.call('ZREM', keys.expiries, unpack(ids))
  for n, id in ipairs(ids) do
    if group_of[n] then
      leave_group(keys, id, group_of[n])
      redis.call('HDEL', keys.grouped, id)
    end
  end
  redis.call('HDEL', keys.failures, unpack(ids))
  redis.call('ZREM', keys.dead, unpack(ids))
end
