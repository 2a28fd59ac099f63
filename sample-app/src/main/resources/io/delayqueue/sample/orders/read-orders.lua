#!lua flags=no-writes,allow-oom
-- Reads orders.
--
-- KEYS[n] order (hash)
--
-- Returns for each key in turn: user, status, due time (ms), closing time (ms), closed by; '' for what is not there
local orders = {}
for _, order in ipairs(KEYS) do
  for _, value in ipairs(redis.call('HMGET', order, 'userId', 'status', 'dueAt', 'closedAt', 'closedBy')) do
    orders[#orders + 1] = value or ''
  end
end
return orders
