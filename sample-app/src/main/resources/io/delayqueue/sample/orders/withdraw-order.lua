#!lua flags=allow-oom
-- Removes an order whose timeout was refused: UNPAID -> (none), unless a caller was told of it.
--
-- KEYS[1] order (hash)
-- KEYS[2] index (zset, scores 0)
--
-- Returns 1 if it was removed, else 0
local order, index = KEYS[1], KEYS[2]

local known = redis.call('HMGET', order, 'userId', 'status', 'claim', 'place')
local user, place = known[1], known[4]
if known[2] ~= 'UNPAID' or known[3] then
  return 0
end
redis.call('DEL', order)
redis.call('ZREM', index, 'all ' .. place, 'status UNPAID ' .. place, 'user ' .. user .. ' ' .. place,
  'user-status ' .. user .. ' UNPAID ' .. place)
return 1
