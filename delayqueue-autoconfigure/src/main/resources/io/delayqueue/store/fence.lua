#!lua flags=no-writes
-- Tells which deliveries are current, with their records as they are at the same moment, and whether any may be handled.
-- KEYS[1] messages (hash)
-- KEYS[2] entries (hash)
-- KEYS[3] failures (hash)
-- KEYS[4] expiries (zset)
-- KEYS[5] control (hash)
-- ARGV[1] enough (bytes of records: then the others are left for another run)
-- ARGV[1 + n] id (text)
-- Returns {now (us), paused (1 or 0), then for each id, from the first one on, as many as there was room for: its current stream
--   entry id, its failures (text), its expiry (ms), each empty if there is none, and its record (bytes, 0 if there is none)}
-- Limits: at most 1,000 ids a call; at least one of them is told. Cost: O(ids + bytes of their records).
local messages, entries, failures, expiries, control = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local enough, ids = tonumber(ARGV[1]), {unpack(ARGV, 2)}

-- include layout

local current = redis.call('HMGET', entries, unpack(ids))
local failed = redis.call('HMGET', failures, unpack(ids))
local expiry = redis.call('ZCARD', expiries) > 0 and redis.call('ZMSCORE', expiries, unpack(ids)) or {}
local time = redis.call('TIME')
local reply, bytes = {time[1] * 1000000 + time[2], paused_since and 1 or 0}, 0
for n, id in ipairs(ids) do
  local record = redis.call('HGET', messages, id)
  local at = 4 * n - 2
  reply[at + 1] = current[n] or ''
  reply[at + 2] = failed[n] or ''
  reply[at + 3] = expiry[n] and string.format('%.0f', math.floor(expiry[n])) or ''
  reply[at + 4] = record or 0
  bytes = bytes + (record and #record or 0)
  if bytes >= enough then
    break
  end
end
return reply
