#!lua flags=allow-oom
-- Changes the state of a push, if the push is in the expected state.
--
-- KEYS[1] push (hash)
-- ARGV[1] the expected state, '' for no push
-- ARGV[2] the new state, '' to remove the push
-- ARGV[3] time to live (ms), 0 for no expiry
-- ARGV[n] fields and values to set
--
-- Returns the state after the call; if it is the new state, this run or an earlier run of the same call has set it
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
