-- Closes a partition for a newer epoch: it accepts only messages of which it holds the group, or without a group the id.

-- Closes it if it is not closed for these or newer epochs; returns whether it was open. Closes nothing if no epochs are given.
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
