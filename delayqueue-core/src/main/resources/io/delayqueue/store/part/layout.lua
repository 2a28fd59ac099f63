-- Refuses a partition whose keys have the layout of another version of the library. Without a stored layout the keys have this
-- one.
-- Reads the other fields of control as well: each is false if it is not set.
-- Needs: control

local layout = '1'
local laid_out, stored_partitions, paused_since, draining_since = unpack(redis.call('HMGET', control, 'layout', 'partitions',
  'paused', 'draining'))
if laid_out and laid_out ~= layout then
  return redis.error_reply('LAYOUT ' .. laid_out .. ' is stored, ' .. layout .. ' is known')
end
