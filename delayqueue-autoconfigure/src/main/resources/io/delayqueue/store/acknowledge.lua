#!lua flags=allow-oom
-- Finishes handled messages: PENDING -> (none). Removing the record is the commit.
-- KEYS[1] messages (hash)
-- KEYS[2] ready (stream)
-- KEYS[3] entries (hash)
-- KEYS[4] failures (hash)
-- KEYS[5] done (zset)
-- ARGV[1] token window (ms for which a repeat of the call that scheduled a message is recognised)
-- ARGV[2 + 4n] entry (stream entry id that was delivered)
-- ARGV[3 + 4n] id (text)
-- ARGV[4 + 4n] call token (11 characters, of the call that scheduled the message)
-- ARGV[5 + 4n] window (ms for which the finished id is remembered)
-- Returns for each message:
--   1  finished by this run
--   0  there is no such message any more, or this entry has settled it before
--   -1 superseded: the message belongs to another delivery
-- Limits: at most 1,000 messages a call. Cost: O(log N) a message. Never reads a record.
local messages, ready, entries, failures, done = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local ids, delivered = {}, {}
for i = 2, #ARGV, 4 do
  delivered[#delivered + 1] = ARGV[i]
  ids[#ids + 1] = ARGV[i + 1]
end
local current = redis.call('HMGET', entries, unpack(ids))
local failure_of = redis.call('HMGET', failures, unpack(ids))
redis.call('ZCARD', done)
redis.call('XLEN', ready)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local token_ends = string.format('%.0f', now + ARGV[1])

local reply, finished, own, counted = {}, {}, {}, {}
for n, id in ipairs(ids) do
  local exists = redis.call('HEXISTS', messages, id) == 1
  if current[n] == delivered[n] then
    own[#own + 1] = id
    if failure_of[n] then
      counted[#counted + 1] = id
    end
    if exists then
      finished[#finished + 1] = string.format('%.0f', now + ARGV[4 * n + 1])
      finished[#finished + 1] = id
      finished[#finished + 1] = token_ends
      finished[#finished + 1] = '\0' .. ARGV[4 * n]
    end
    reply[n] = exists and 1 or 0
  else
    local settled_here = failure_of[n] and string.match(failure_of[n], '^%d+|%d+|%d+|([^|]*)|') == delivered[n]
    reply[n] = (exists and not settled_here) and -1 or 0
  end
end
if #finished > 0 then
  redis.call('ZADD', done, unpack(finished))
end
if #own > 0 then
  redis.call('HDEL', messages, unpack(own))
  if #counted > 0 then
    redis.call('HDEL', failures, unpack(counted))
  end
  redis.call('HDEL', entries, unpack(own))
end
redis.call('XDEL', ready, unpack(delivered))
redis.call('XACK', ready, 'consumers', unpack(delivered))
return reply
