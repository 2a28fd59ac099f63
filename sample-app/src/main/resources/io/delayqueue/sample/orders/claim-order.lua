#!lua
-- Claims an order for the answer to one request; the first claim stands.
--
-- KEYS[1] order (hash)
-- ARGV[1] claim of the request
--
-- Returns 1 if the order is this request's, 0 if it is another's or is gone
local order, claim = KEYS[1], ARGV[1]

if redis.call('EXISTS', order) == 0 then
  return 0
end
redis.call('HSETNX', order, 'claim', claim)
return redis.call('HGET', order, 'claim') == claim and 1 or 0
