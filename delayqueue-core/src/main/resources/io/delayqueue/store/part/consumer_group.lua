-- Reads the state of the consumer group of a stream.

-- Returns two values: the fields of XINFO GROUPS (such as consumers, pending and last-delivered-id), nil if there is no consumer group; and
-- the error of Redis, nil if there is none.
local function read_consumer_group(ready)
  local all = redis.pcall('XINFO', 'GROUPS', ready)
  if all.err then
    return nil, not string.find(all.err, 'no such key', 1, true) and all or nil
  end
  for _, group in ipairs(all) do
    local fields = {}
    for i = 1, #group, 2 do
      fields[group[i]] = group[i + 1]
    end
    if fields.name == 'consumers' then
      return fields
    end
  end
end
