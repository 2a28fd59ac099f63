-- Finds the message that a call means if the call names no group. The function gets a table of keys: groups, messages.

-- Returns the record of this message, and its id: of the message without a group, else of the message whose group is the first by its
-- bytes. Without such a message returns false and the id of what a stopped run has left of one, else the given id.
local function find_record(keys, id, any_group)
  local record = redis.call('HGET', keys.messages, id)
  local from, to, left = '[\1' .. id .. '\1', '(\1' .. id .. '\2', nil
  -- A script that stopped half-way may have left members of messages without a record: reads on behind them.
  for _ = 1, not record and any_group and 100 or 0 do
    local page = redis.call('ZRANGE', keys.groups, from, to, 'BYLEX', 'LIMIT', 0, 10)
    for _, member in ipairs(page) do
      local found = string.sub(member, 2)
      record = redis.call('HGET', keys.messages, found)
      if record then
        return record, found
      end
      left = left or found
    end
    if #page < 10 then
      break
    end
    from = '(' .. page[10]
  end
  return record, left or id
end
