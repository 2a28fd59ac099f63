#!lua flags=allow-oom
-- Dead-letters a message with its reason: PENDING -> DEAD.
-- ARGV[1] entry (stream entry id that was delivered)
-- ARGV[2] id (text)
-- ARGV[3] reason (text, opaque)
-- ARGV[4] failures (1 if this delivery counts as a failure, else 0)
-- ARGV[5] counts on (1 if dead letters keep their slot in the quota of their group, else 0)
-- ARGV[6] where (text, the name of this process, for the history)
-- Returns {answer, number of parked messages that this run has scheduled again}
--   counted    dead-lettered by this run
--   gone       the message no longer exists, or an earlier settlement of this delivery counted
--   superseded the message has another delivery now: only that delivery can settle it
-- Cost: O(log N). Never reads a record.
local messages, scheduled, ready, entries, failures, dead, expiries, grouped, groups, active, parked, control, throttled,
  history, ends = unpack(KEYS)
local entry, id, reason, failure, counts_on = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5] == '1'

-- include layout
-- include types
-- include groups
-- include unpark
-- include slots
-- include dead_slots
-- include failure
-- include ends

local foreign, any_throttled, kept = read_control(control, 'throttled', 'history')
if foreign then
  return foreign
end

local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
  throttled = throttled, history = history, ends = ends}
keys.any_throttled = any_throttled
local exists = redis.call('HEXISTS', messages, id) == 1
local own = redis.call('HGET', entries, id) == entry
local failed, crashed, deferred, last = read_failure(failures, id)
local group = groups_of(keys, {id})[1]
require_types('zset', expiries, 'zset', dead, 'stream', ready)
local time = redis.call('TIME')

local answer, unparked = 'counted', 0
if own and exists then
  if last ~= entry then
    failed = string.format('%.0f', failed + failure)
  end
  redis.call('ZADD', dead, string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), id)
  local counts = failed .. '|' .. crashed .. '|' .. deferred .. '|' .. entry .. '|' .. reason
  redis.call('HSET', failures, id, counts)
  if last ~= entry then
    local recorded = new_ends(kept, ARGV[6], 'L')
    add_end(recorded, id, counts)
    write_ends(keys, recorded, time)
  end
  if group then
    unparked = leave_group_dead(keys, id, group, counts_on)
  end
elseif own then
  redis.call('HDEL', failures, id)
  redis.call('ZREM', expiries, id)
  if group then
    unparked = leave_group(keys, id, group)
    redis.call('HDEL', grouped, id)
  end
  answer = 'gone'
else
  answer = (exists and last ~= entry) and 'superseded' or 'gone'
end
if own then
  redis.call('HDEL', entries, id)
end
redis.call('XDEL', ready, entry)
redis.call('XACK', ready, 'consumers', entry)
return {answer, unparked}
