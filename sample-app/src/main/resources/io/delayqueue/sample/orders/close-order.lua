#!lua flags=allow-oom
-- Closes an order: UNPAID -> PAID or CANCELLED. A close by TIMEOUT requires that the order is due, and
-- also closes an order that is still NEW.
--
-- KEYS[1] order (hash)
-- KEYS[2] index (zset, scores 0)
-- KEYS[3] new (zset, scores: time of the request, ms)
-- KEYS[4] closed (zset, scores: closing time, ms)
-- KEYS[5] left-overs (zset: id of an order that may have a superfluous timeout message, by the time of its entry, ms)
-- ARGV[1] id
-- ARGV[2] new status (PAID or CANCELLED)
-- ARGV[3] closed by (PAYMENT, USER or TIMEOUT)
--
-- Returns the outcome, user, status, due time (ms), closing time (ms or ''), closed by (or ''):
--   CLOSED         this call has closed the order
--   CLOSED_BEFORE  an earlier call has closed the order; nothing was written
--   NOT_DUE        the time to pay has not passed; nothing was written
--   UNKNOWN        the order does not exist, or is NEW and this close is not by TIMEOUT; no other values are returned
local order, index, new, closed, leftOvers = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local id, status, closedBy = ARGV[1], ARGV[2], ARGV[3]

local known = redis.call('HMGET', order, 'userId', 'status', 'dueAt', 'closedAt', 'closedBy', 'position')
local user, was, dueAt, position = known[1], known[2], known[3], known[6]
if not user or was == 'NEW' and closedBy ~= 'TIMEOUT' then
  return { 'UNKNOWN' }
end
if was ~= 'NEW' and was ~= 'UNPAID' then
  return { 'CLOSED_BEFORE', user, was, dueAt, known[4], known[5] }
end

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if closedBy == 'TIMEOUT' and now < tonumber(dueAt) then
  return { 'NOT_DUE', user, 'UNPAID', dueAt, '', '' }
end

local closedAt = string.format('%.0f', now)
redis.call('ZADD', closed, closedAt, id)
if closedBy ~= 'TIMEOUT' then
  redis.call('ZADD', leftOvers, closedAt, id)
end
redis.call('ZADD', index,
  0, 'all ' .. position,
  0, 'status ' .. status .. ' ' .. position,
  0, 'user ' .. user .. ' ' .. position,
  0, 'user-status ' .. user .. ' ' .. status .. ' ' .. position)
redis.call('HSET', order, 'status', status, 'closedAt', closedAt, 'closedBy', closedBy)
redis.call('ZREM', index, 'status UNPAID ' .. position, 'user-status ' .. user .. ' UNPAID ' .. position)
redis.call('ZREM', new, id)
return { 'CLOSED', user, status, dueAt, closedAt, closedBy }
