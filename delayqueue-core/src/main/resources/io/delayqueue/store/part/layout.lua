-- Refuses a partition whose keys have the layout of another version of the library: neither 1, which is that of keys without a
-- stored layout, nor 2, which is that of a queue whose partition count has changed, so that it refuses versions without epochs.

-- The refusal, nil if there is none; then the given fields of control, each false if it is not set.
local function read_control(control, ...)
  local stored = redis.call('HMGET', control, 'layout', ...)
  if stored[1] and stored[1] ~= '1' and stored[1] ~= '2' then
    return redis.error_reply('LAYOUT ' .. stored[1] .. ' is stored, 1 and 2 are known')
  end
  return nil, unpack(stored, 2)
end
