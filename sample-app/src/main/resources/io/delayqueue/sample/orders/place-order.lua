#!lua
-- Stores an order, unless its id is known: (none) -> UNPAID.
--
-- KEYS[1] order (hash)
-- KEYS[2] index (zset, scores 0)
-- KEYS[3] sequence (string)
-- ARGV[1] id
-- ARGV[2] user
-- ARGV[3] time to pay (ms)
--
-- Returns the outcome, user, status, due time (ms), closing time (ms or ''), closed by (or ''):
--   CREATED    the order is new
--   UNCLAIMED  the same request stored it earlier, and no caller was told so yet
--   TAKEN      the id is known
local order, index, sequence = KEYS[1], KEYS[2], KEYS[3]
local id, user, payWithin = ARGV[1], ARGV[2], ARGV[3]

local known = redis.call('HMGET', order, 'userId', 'status', 'dueAt', 'closedAt', 'closedBy', 'payWithin', 'claim')
if known[1] then
  local unclaimed = known[2] == 'UNPAID' and not known[7] and known[1] == user and known[6] == payWithin
  return { unclaimed and 'UNCLAIMED' or 'TAKEN', known[1], known[2], known[3], known[4] or '', known[5] or '' }
end

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local dueAt = string.format('%.0f', now + tonumber(payWithin))
local place = string.format('%016.0f', redis.call('INCR', sequence)) .. ' ' .. id

redis.call('ZADD', index,
  0, 'all ' .. place,
  0, 'status UNPAID ' .. place,
  0, 'user ' .. user .. ' ' .. place,
  0, 'user-status ' .. user .. ' UNPAID ' .. place)
redis.call('HSET', order, 'userId', user, 'status', 'UNPAID', 'dueAt', dueAt, 'payWithin', payWithin, 'place', place)
return { 'CREATED', user, 'UNPAID', dueAt, '', '' }
