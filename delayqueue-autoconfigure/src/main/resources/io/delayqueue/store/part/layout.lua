-- Refuses a partition whose keys another version of the library has laid out. Where nobody has, they are laid out like this.
-- Needs: control

local layout = '1'
local laid_out = redis.call('HGET', control, 'layout')
if laid_out and laid_out ~= layout then
  return redis.error_reply('LAYOUT ' .. laid_out .. ' is stored, ' .. layout .. ' is known')
end
