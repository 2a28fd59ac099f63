-- Refuses a partition whose keys another version of the library has laid out. Where nobody has, they are laid out like this.
-- What else the control tells of the partition comes with it: each false if it is not set.
-- Needs: control

local layout = '1'
local laid_out, stored_partitions, paused_since, draining_since = unpack(redis.call('HMGET', control, 'layout', 'partitions',
  'paused', 'draining'))
if laid_out and laid_out ~= layout then
  return redis.error_reply('LAYOUT ' .. laid_out .. ' is stored, ' .. layout .. ' is known')
end
