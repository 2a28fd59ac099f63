#!lua flags=allow-oom
-- Tells of partitions that share a server whether there is anything to do. Writes nothing, and yet does not say so:
-- A master that was demoted would let it run, and what that one has is old.
-- KEYS[1 + 5n] scheduled (zset)
-- KEYS[2 + 5n] ready (stream)
-- KEYS[3 + 5n] done (zset)
-- KEYS[4 + 5n] parked (zset)
-- KEYS[5 + 5n] control (hash)
-- ARGV[1] layout (text, the one that is known)
-- Returns {now (us), then for each partition: state, next due (ms, -1 if none)}
--   busy   a sweep may find something to do or to tell
--   quiet  nothing is due, undelivered or parked, no finished id is to be forgotten, and nobody has paused it
--   empty  quiet, and nothing is pending
-- Cost: O(log N + consumers) a partition. What a partition refuses is for its sweep to meet.

local layout = ARGV[1]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function look(scheduled, ready, done, parked, control)
  local switches = redis.pcall('HMGET', control, 'layout', 'paused')
  local first = redis.pcall('ZRANGE', scheduled, 0, 0, 'WITHSCORES')
  local ended = redis.pcall('ZRANGE', done, 0, 0, 'WITHSCORES')
  if switches.err or first.err or ended.err or switches[2] or (switches[1] and switches[1] ~= layout)
      or redis.pcall('ZCARD', parked) ~= 0 or tonumber(first[2] or math.huge) <= now
      or tonumber(ended[2] or math.huge) <= now then
    return 'busy', -1
  end
  local left = redis.pcall('XLEN', ready)
  if left == 0 then
    return 'empty', tonumber(first[2] or '-1')
  end
  return redis.pcall('XPENDING', ready, 'consumers')[1] == left and 'quiet' or 'busy', tonumber(first[2] or '-1')
end

local reply = {time[1] * 1000000 + time[2]}
for i = 1, #KEYS, 5 do
  local state, next_due = look(unpack(KEYS, i, i + 4))
  reply[#reply + 1] = state
  reply[#reply + 1] = next_due
end
return reply
