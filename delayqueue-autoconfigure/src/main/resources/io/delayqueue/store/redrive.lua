#!lua flags=allow-oom
-- Gives dead letters another chance, with no failures counted: DEAD -> SCHEDULED.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] entries (hash)
-- KEYS[4] failures (hash)
-- KEYS[5] dead (zset)
-- ARGV[1 + 2n] id (text)
-- ARGV[2 + 2n] wait (ms from now)
-- Returns {now (us), first due (ms, -1 if nothing was moved), then for each id: 1 or 0}
--   1 it is scheduled, by this run or already
--   0 it is no dead letter
-- Limits: at most 1,000 ids a call. Cost: O(log N) an id. Never reads a record.
local messages, scheduled, entries, failures, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local ids = {}
for i = 1, #ARGV, 2 do
  ids[#ids + 1] = ARGV[i]
end
local death_of = redis.call('ZMSCORE', dead, unpack(ids))
local entry_of = redis.call('HMGET', entries, unpack(ids))
local place_of = redis.call('ZMSCORE', scheduled, unpack(ids))
redis.call('HLEN', failures)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local reply, places, gone, first = {time[1] * 1000000 + time[2], -1}, {}, {}, nil
for n, id in ipairs(ids) do
  local exists = redis.call('HEXISTS', messages, id) == 1
  if death_of[n] then
    gone[#gone + 1] = id
    -- In another place too: a script that stopped half-way has moved it already
    if exists and not entry_of[n] and not place_of[n] then
      local due = now + ARGV[2 * n]
      places[#places + 1] = string.format('%.0f', due)
      places[#places + 1] = id
      if not first or due < first then
        first = due
      end
    end
  end
  reply[#reply + 1] = (death_of[n] and exists) and 1 or 0
end
if #places > 0 then
  redis.call('ZADD', scheduled, unpack(places))
  reply[2] = first
end
if #gone > 0 then
  redis.call('HDEL', failures, unpack(gone))
  redis.call('ZREM', dead, unpack(gone))
end
return reply
