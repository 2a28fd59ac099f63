#!lua flags=allow-oom
-- Accepts an order whose timeout message is scheduled, so that callers can find the order: NEW -> UNPAID.
--
-- KEYS[1] order (hash)
-- KEYS[2] index (zset, scores 0)
-- KEYS[3] new (zset, scores: time of the request, ms)
-- KEYS[4] left-overs (zset: id of an order that may have a superfluous timeout message, by the time of its entry, ms)
-- ARGV[1] id
-- ARGV[2] request
-- ARGV[3] whether a caller gets the response (1 or 0)
--
-- Returns 1 if the order belongs to this request, 0 if the order belongs to another request or is gone; then its
-- timeout message may still exist
local order, index, new, leftOvers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, request, answered = ARGV[1], ARGV[2], ARGV[3]

local known = redis.call('HMGET', order, 'request', 'status', 'userId', 'position')
local user, position = known[3], known[4]
if known[1] ~= request then
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  redis.call('ZADD', leftOvers, string.format('%.0f', now), id)
  return 0
end
if known[2] == 'NEW' then
  redis.call('ZADD', index,
    0, 'all ' .. position,
    0, 'status UNPAID ' .. position,
    0, 'user ' .. user .. ' ' .. position,
    0, 'user-status ' .. user .. ' UNPAID ' .. position)
  redis.call('HSET', order, 'status', 'UNPAID')
  redis.call('ZREM', new, id)
end
if answered == '1' then
  redis.call('HSET', order, 'answered', 1)
end
return 1
