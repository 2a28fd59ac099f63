-- Finds the message that a call means if the call names no group. The function gets a table of keys: groups, messages.

-- Returns the id of this message: the given id if a message without a group has it, else the id of the message with this id whose group
-- is the first by its bytes. Returns the given id if there is no such message.
local function any_group_of(keys, id)
  local from, to = '[\1' .. id .. '\1', '(\1' .. id .. '\2'
  -- A script that stopped half-way may have left members of messages without a record: reads on behind them.
  for _ = 1, redis.call('HEXISTS', keys.messages, id) == 0 and 100 or 0 do
    local page = redis.call('ZRANGE', keys.groups, from, to, 'BYLEX', 'LIMIT', 0, 10)
    for _, member in ipairs(page) do
      if redis.call('HEXISTS', keys.messages, string.sub(member, 2)) == 1 then
        return string.sub(member, 2)
      end
    end
    if #page < 10 then
      break
    end
    from = '(' .. page[10]
  end
  return id
end
