#!lua
-- Stores an order for a request, unless an order with this id exists: (none) -> NEW.
--
-- KEYS[1] order (hash)
-- KEYS[2] new (zset, scores: time of the request, ms)
-- KEYS[3] sequence (string)
-- ARGV[1] id
-- ARGV[2] user
-- ARGV[3] time to pay (ms)
-- ARGV[4] request
--
-- Returns the outcome, user, status, due time (ms), closing time (ms or ''), closed by (or ''):
--   CREATED     the order is new
--   UNANSWERED  an earlier equal request stored the order, but got no response; the order belongs to this request now
--   TAKEN       an order with this id exists
local order, new, sequence = KEYS[1], KEYS[2], KEYS[3]
local id, user, payWithin, request = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local known = redis.call('HMGET', order, 'userId', 'status', 'dueAt', 'closedAt', 'closedBy', 'payWithin', 'answered')
local status = known[2]
local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))

if status then
  local open = status == 'NEW' or status == 'UNPAID'
  if not open or known[7] or known[1] ~= user or known[6] ~= payWithin then
    return { 'TAKEN', known[1], open and 'UNPAID' or status, known[3], known[4] or '', known[5] or '' }
  end
  if status == 'NEW' then
    redis.call('ZADD', new, now, id)
  end
  redis.call('HSET', order, 'request', request)
  return { 'UNANSWERED', user, 'UNPAID', known[3], '', '' }
end

local dueAt = string.format('%.0f', tonumber(now) + tonumber(payWithin))
local position = string.format('%016.0f', redis.call('INCR', sequence)) .. ' ' .. id
redis.call('ZADD', new, now, id)
redis.call('HSET', order, 'userId', user, 'status', 'NEW', 'dueAt', dueAt, 'payWithin', payWithin, 'position', position,
  'request', request)
return { 'CREATED', user, 'UNPAID', dueAt, '', '' }
