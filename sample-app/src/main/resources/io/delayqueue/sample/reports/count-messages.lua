#!lua flags=allow-oom
-- Counts messages as reported or expired. Does not count a message again for at least 10 minutes after it was counted.
--
-- KEYS[1] stats (hash)
-- KEYS[2] counted (zset, scores: time of counting, ms)
-- ARGV[1] 'reported' if the messages were reported together in one batch, 'expired' if they have expired
-- ARGV[n] message
--
-- Returns the number of messages that were not counted before
local stats, counted = KEYS[1], KEYS[2]
local what = ARGV[1]
local most, keep = 100000, 600000

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local fresh = 0
for i = 2, #ARGV do
  fresh = fresh + redis.call('ZADD', counted, 'NX', string.format('%.0f', now), ARGV[i])
end
if fresh > 0 then
  redis.call('HINCRBY', stats, what, fresh)
  if what == 'reported' then
    redis.call('HINCRBY', stats, 'batches', 1)
    local largest = tonumber(redis.call('HGET', stats, 'largestBatch') or 0)
    redis.call('HSET', stats, 'largestBatch', math.max(largest, #ARGV - 1))
  end
end
if redis.call('ZCARD', counted) > most then
  redis.call('ZREMRANGEBYSCORE', counted, '-inf', string.format('(%.0f', now - keep))
end
return fresh
