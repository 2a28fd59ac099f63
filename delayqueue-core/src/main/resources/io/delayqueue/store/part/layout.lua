-- Refuses a partition whose keys have the layout of another version of the library. Without a stored layout the keys have
-- this one.

-- The refusal, nil if there is none; then the stored layout, partition count, begin of a pause and begin of a drain, each
-- false if it is not set.
local function read_control(control)
  local layout = '1'
  local stored = redis.call('HMGET', control, 'layout', 'partitions', 'paused', 'draining')
  if stored[1] and stored[1] ~= layout then
    return redis.error_reply('LAYOUT ' .. stored[1] .. ' is stored, ' .. layout .. ' is known')
  end
  return nil, unpack(stored)
end
