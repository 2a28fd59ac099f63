#!lua flags=allow-oom
-- Removes dead letters: DEAD -> (none). Removing the record is the commit.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] entries (hash)
-- KEYS[4] failures (hash)
-- KEYS[5] dead (zset)
-- KEYS[6] done (zset)
-- KEYS[7] expiries (zset)
-- KEYS[8] grouped (hash)
-- KEYS[9] groups (zset)
-- KEYS[10] active (zset)
-- KEYS[11] parked (zset)
-- KEYS[12] control (hash)
-- ARGV[1] window (ms for which a repeat of the call that scheduled a message is recognised)
-- ARGV[2] group (text: messages of another one, or of none, are not meant; empty for any)
-- ARGV[2 + n] id (text)
-- Returns for each id:
--   1 removed by this run
--   0 it is no dead letter
-- Limits: at most 100 ids a call. Cost: O(log N) an id; reads each record, which carries the token of its call.
local messages, scheduled, entries, failures, dead, done = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local expiries, grouped, groups, active, parked, control = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12]
local window, meant = tonumber(ARGV[1]), ARGV[2]

-- include layout
-- include groups

redis.call('HLEN', messages)
redis.call('ZCARD', scheduled)
redis.call('HLEN', entries)
redis.call('HLEN', failures)
redis.call('ZCARD', done)
redis.call('ZCARD', expiries)
local time = redis.call('TIME')
local ends = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + window)

local reply, ids, tombstones = {}, {}, {}
for n = 3, #ARGV do
  local id = ARGV[n]
  local here = redis.call('ZSCORE', dead, id) and not redis.call('HGET', entries, id)
    and not redis.call('ZSCORE', scheduled, id)
    and (meant == '' or string.sub(redis.call('HGET', grouped, id) or '', 18) == meant)
  if here then
    ids[#ids + 1] = id
    local record = redis.call('HGET', messages, id)
    if record then
      tombstones[#tombstones + 1] = ends
      tombstones[#tombstones + 1] = '\0' .. string.sub(record, 18, 28)
    end
  end
  reply[#reply + 1] = here and 1 or 0
end
local group_of = #ids > 0 and groups_of(ids) or {}
if #tombstones > 0 then
  redis.call('ZADD', done, unpack(tombstones))
end
if #ids > 0 then
  redis.call('HDEL', messages, unpack(ids))
  redis.call('ZREM', expiries, unpack(ids))
  for n, id in ipairs(ids) do
    if group_of[n] then
      leave_group(id, group_of[n])
      redis.call('HDEL', grouped, id)
    end
  end
  redis.call('HDEL', failures, unpack(ids))
  redis.call('ZREM', dead, unpack(ids))
end
return reply
