-- Closes a partition for a newer epoch. A closed partition accepts a message with a group only if the partition has a record of this
-- group, and a message without a group only if the partition has a record of this id.

-- Closes a partition unless it is closed for these or newer epochs, or newer is empty. Returns whether this has closed an open partition.
local function close(control, closed, newer)
  local function newest_of(epochs)
    return tonumber(string.match(epochs, '(%d+):%d+$'))
  end
  if newer ~= '' and (not closed or newest_of(closed) < newest_of(newer)) then
    redis.call('HSET', control, 'layout', '2', 'closed', newer)
    return not closed
  end
  return false
end
