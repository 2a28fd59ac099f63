#!lua flags=allow-oom
-- Sets a message aside with its reason: PENDING -> DEAD. Counts one failure.
-- KEYS[1] messages (hash)
-- KEYS[2] ready (stream)
-- KEYS[3] entries (hash)
-- KEYS[4] failures (hash)
-- KEYS[5] dead (zset)
-- ARGV[1] entry (stream entry id that was delivered)
-- ARGV[2] id (text)
-- ARGV[3] reason (text, opaque)
-- Returns {answer}
--   1  set aside by this run
--   0  there is no such message any more, or this entry has settled it before
--   -1 superseded: the message belongs to another delivery
-- Cost: O(log N). Never reads a record.
local messages, ready, entries, failures, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local entry, id, reason = ARGV[1], ARGV[2], ARGV[3]

local exists = redis.call('HEXISTS', messages, id) == 1
local own = redis.call('HGET', entries, id) == entry
local failed, crashed, deferred, last = string.match(redis.call('HGET', failures, id) or '0|0|0||',
  '^(%d+)|(%d+)|(%d+)|([^|]*)|')
if not failed then
  failed, crashed, deferred, last = 0, 0, 0, ''
end
redis.call('ZCARD', dead)
redis.call('XLEN', ready)
local time = redis.call('TIME')

local reply = 1
if own and exists then
  if last ~= entry then
    failed = string.format('%.0f', failed + 1)
  end
  redis.call('ZADD', dead, string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), id)
  redis.call('HSET', failures, id, failed .. '|' .. crashed .. '|' .. deferred .. '|' .. entry .. '|' .. reason)
elseif own then
  redis.call('HDEL', failures, id)
  reply = 0
else
  reply = (exists and last ~= entry) and -1 or 0
end
if own then
  redis.call('HDEL', entries, id)
end
redis.call('XDEL', ready, entry)
redis.call('XACK', ready, 'consumers', entry)
return {reply}
