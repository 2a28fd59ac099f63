#!lua flags=allow-oom
-- Changes the epochs of a queue, unless another process has changed them since the caller read them.
-- ARGV[1] queue (text)
-- ARGV[2] expected (text: the epochs that the caller has read, empty if there were none)
-- ARGV[3] epochs (text, empty to remove them)
-- Returns {answer, stored epochs (text, may be empty)}
--   changed this run, or an earlier run of the same call, has changed the epochs
--   differs other epochs are stored than expected; nothing was written
-- The hash field with an empty name has the version of the epochs of all queues. It is a time (us), so that a version that Redis
-- has lost in a failover is not used again. Cost: O(1).
local epochs = unpack(KEYS)
local queue, expected, changed = ARGV[1], ARGV[2], ARGV[3]

local stored = redis.call('HGET', epochs, queue) or ''
local version = tonumber(redis.call('HGET', epochs, '') or '0')
local time = redis.call('TIME')
if stored == expected and stored ~= changed then
  redis.call('HSET', epochs, queue, changed, '', string.format('%.0f', math.max(time[1] * 1000000 + time[2], version + 1)))
  if changed == '' then
    redis.call('HDEL', epochs, queue)
  end
  stored = changed
end
return {stored == changed and 'changed' or 'differs', stored}
