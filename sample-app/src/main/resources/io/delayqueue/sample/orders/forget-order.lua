#!lua flags=allow-oom
-- Removes a closed order after its retention time: PAID or CANCELLED -> (none).
--
-- KEYS[1] order (hash)
-- KEYS[2] index (zset, scores 0)
-- KEYS[3] closed (zset, scores: closing time, ms)
-- ARGV[1] id
-- ARGV[2] retention time of closed orders (ms)
--
-- Returns 1 if the order is removed, 0 if the order is kept
local order, index, closed = KEYS[1], KEYS[2], KEYS[3]
local id, keep = ARGV[1], ARGV[2]

local known = redis.call('HMGET', order, 'userId', 'status', 'closedAt', 'position')
local user, status, closedAt, position = known[1], known[2], known[3], known[4]
if closedAt then
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  if now < tonumber(closedAt) + tonumber(keep) then
    return 0
  end
  redis.call('DEL', order)
  redis.call('ZREM', index,
    'all ' .. position,
    'status ' .. status .. ' ' .. position,
    'user ' .. user .. ' ' .. position,
    'user-status ' .. user .. ' ' .. status .. ' ' .. position)
end
redis.call('ZREM', closed, id)
return 1
