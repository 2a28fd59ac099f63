#!lua flags=allow-oom
-- Removes an order whose timeout message was refused: NEW -> (none).
--
-- KEYS[1] order (hash)
-- KEYS[2] new (zset, scores: time of the request, ms)
-- KEYS[3] left-overs (zset: id of an order that may have a superfluous timeout message, by the time at which the id was added, ms)
-- ARGV[1] id
-- ARGV[2] request
--
-- Returns 1 if the order was removed, 0 if the order belongs to another request, was accepted or is gone
local order, new, leftOvers = KEYS[1], KEYS[2], KEYS[3]
local id, request = ARGV[1], ARGV[2]

local known = redis.call('HMGET', order, 'request', 'status')
if known[1] ~= request or known[2] ~= 'NEW' then
  return 0
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', leftOvers, string.format('%.0f', now), id)
redis.call('DEL', order)
redis.call('ZREM', new, id)
return 1
