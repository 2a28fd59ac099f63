#!lua flags=no-writes,allow-oom
-- Reads orders.
--
-- KEYS[n] order (hash)
--
-- Returns for each key in turn: user, status, due time (ms), closing time (ms), closed by, flagged; '' for missing
-- values, and for all values of an order that is not accepted yet
local orders = {}
for _, order in ipairs(KEYS) do
  local known = redis.call('HMGET', order, 'userId', 'status', 'dueAt', 'closedAt', 'closedBy', 'flagged')
  for _, value in ipairs(known) do
    orders[#orders + 1] = known[2] ~= 'NEW' and value or ''
  end
end
return orders
