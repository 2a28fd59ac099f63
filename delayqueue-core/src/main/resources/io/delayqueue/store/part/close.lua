-- Closes a partition for a newer epoch: it accepts only messages of which it holds the group, or without a group the id.

-- Closes it if it is not closed for this or a newer epoch; returns whether it was open. An empty epoch closes nothing.
local function close(control, closed, newer)
  local function number_of(epoch)
    return tonumber(string.match(epoch, '^%d+'))
  end
  if newer ~= '' and (not closed or number_of(closed) < number_of(newer)) then
    redis.call('HSET', control, 'layout', '2', 'closed', newer)
    return not closed
  end
  return false
end
