-- Refuses a partition whose keys have the layout of another version of the library. This version accepts layout 1 (also if none is stored)
-- and layout 2. A partition of a queue whose partition count has changed has layout 2, which versions without epochs refuse.

-- Returns an error if the layout is unknown, else nil. Then returns the values of the given fields of control, false for each unset field.
local function read_control(control, ...)
  local stored = redis.call('HMGET', control, 'layout', ...)
  if stored[1] and stored[1] ~= '1' and stored[1] ~= '2' then
    return redis.error_reply('LAYOUT ' .. stored[1] .. ' is stored, 1 and 2 are known')
  end
  return nil, unpack(stored, 2)
end
