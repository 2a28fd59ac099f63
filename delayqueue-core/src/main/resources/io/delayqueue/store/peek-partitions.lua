#!lua flags=allow-oom,allow-cross-slot-keys
-- Checks which of several partitions on one server need a sweep. Writes nothing, but does not have the flag no-writes, because a
-- demoted master, whose data may be old, would run a script with this flag. In a cluster the partitions have several slots, so only
-- the keys of the first partition are declared.
-- ARGV[1 + n] the keys of further partitions, in the same order for each
-- Returns {'checked', now (us), then for each partition: state, next due (ms, -1 if none)}
--   busy   a sweep may find messages to move or ids to remove, or reports a pause, a hold or an error
--   quiet  no message is due, undelivered or parked, no finished id is to be removed, and the partition is neither paused nor held
--   empty  quiet, and no message is pending; or scheduled, ready, done and parked are empty (the partition may be paused or held)
-- Cost: EXISTS and XLEN for a partition without messages and finished ids, else O(log N + consumers). If the partition is not empty,
-- a key that causes an error makes it busy: its sweep reports the error.
local scheduled, ready, done, parked, control = unpack(KEYS)

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function peek(scheduled, ready, done, parked, control)
  local filled, left = redis.pcall('EXISTS', scheduled, done, parked), redis.pcall('XLEN', ready)
  if filled == 0 and left == 0 then
    return 'empty', -1
  end
  local switches = redis.pcall('HMGET', control, 'layout', 'paused', 'holds')
  local first = redis.pcall('ZRANGE', scheduled, 0, 0, 'WITHSCORES')
  local ended = redis.pcall('ZRANGE', done, 0, 0, 'WITHSCORES')
  if switches.err or first.err or ended.err or switches[2] or (switches[1] and switches[1] ~= '1' and switches[1] ~= '2')
      or switches[3] or filled ~= (first[1] and 1 or 0) + (ended[1] and 1 or 0) or tonumber(first[2] or math.huge) <= now
      or tonumber(ended[2] or math.huge) <= now then
    return 'busy', -1
  end
  if left == 0 then
    return 'empty', tonumber(first[2] or '-1')
  end
  return redis.pcall('XPENDING', ready, 'consumers')[1] == left and 'quiet' or 'busy', tonumber(first[2] or '-1')
end

local reply = {'checked', time[1] * 1000000 + time[2]}
reply[3], reply[4] = peek(scheduled, ready, done, parked, control)
for i = 1, #ARGV, 5 do
  reply[#reply + 1], reply[#reply + 2] = peek(unpack(ARGV, i, i + 4))
end
return reply
