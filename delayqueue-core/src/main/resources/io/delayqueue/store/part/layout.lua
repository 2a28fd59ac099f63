-- Refuses a partition whose keys have the layout of another version of the library: neither 1, which is that of keys without a
-- stored layout, nor 2, which is that of a queue whose partition count has changed and refuses the first release.

-- The refusal, nil if there is none; then the stored layout, partition count, begin of a pause, begin of a drain, the epoch for
-- which the partition is closed, whether its dead letters are carried there, whether groups are throttled, whether messages need a
-- grant, the latest end of all holds (ms), what the history keeps, whether the partition has had recurring schedules, each false if
-- it is not set.
local function read_control(control)
  local stored = redis.call('HMGET', control, 'layout', 'partitions', 'paused', 'draining', 'closed', 'carrying', 'throttled',
    'limited', 'holds', 'history', 'recurring')
  if stored[1] and stored[1] ~= '1' and stored[1] ~= '2' then
    return redis.error_reply('LAYOUT ' .. stored[1] .. ' is stored, 1 and 2 are known')
  end
  return nil, unpack(stored)
end
