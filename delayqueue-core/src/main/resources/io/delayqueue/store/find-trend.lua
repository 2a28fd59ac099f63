#!lua flags=no-writes
-- Finds the trend of a queue over a span.
-- ARGV[1] size (seconds of a bucket of the span)
-- ARGV[2] buckets (number of buckets of the span, 1 to 1,000)
-- Returns {'found', now (s), then for each bucket that has ever been written: text (its number, and name=figure of each figure,
--   separated by blanks; the bucket may be older than the span)}
-- Cost: O(buckets).
local trends = unpack(KEYS)
local size, buckets = ARGV[1], tonumber(ARGV[2])

local fields = {}
for n = 0, buckets - 1 do
  fields[#fields + 1] = size .. ':' .. string.format('%.0f', n)
end
local reply = {'found', tonumber(redis.call('TIME')[1])}
for _, bucket in ipairs(redis.call('HMGET', trends, unpack(fields))) do
  if bucket then
    reply[#reply + 1] = bucket
  end
end
return reply
