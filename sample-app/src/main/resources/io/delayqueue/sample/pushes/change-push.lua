#!lua flags=allow-oom
-- Changes the state of a push, if it is the expected one.
--
-- KEYS[1] push (hash)
-- ARGV[1] the state that is expected, '' for no push
-- ARGV[2] the new state, '' to remove the push
-- ARGV[3] how long to keep it from now on (ms), 0 for good
-- ARGV[n] field, value and so on, to be set with it
--
-- Returns the state after that; if it is the new one, this call brought it about, or an earlier run of it
local push, expected, new, keep = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local state = redis.call('HGET', push, 'state') or ''
if state ~= expected then
  return state
end
if new == '' then
  redis.call('DEL', push)
  return new
end
redis.call('HSET', push, 'state', new, unpack(ARGV, 4))
if keep == '0' then
  redis.call('PERSIST', push)
else
  redis.call('PEXPIRE', push, keep)
end
return new
