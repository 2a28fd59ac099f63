#!lua flags=allow-oom
-- Dead-letters a message with its reason: PENDING -> DEAD.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] ready (stream)
-- KEYS[4] entries (hash)
-- KEYS[5] failures (hash)
-- KEYS[6] dead (zset)
-- KEYS[7] expiries (zset)
-- KEYS[8] grouped (hash)
-- KEYS[9] groups (zset)
-- KEYS[10] active (zset)
-- KEYS[11] parked (zset)
-- KEYS[12] control (hash)
-- KEYS[13] throttled (zset)
-- KEYS[14] history (stream)
-- KEYS[15] ends (hash)
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
local messages, scheduled, ready, entries, failures, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local expiries, grouped, groups, active, parked, control = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12]
local throttled, history, ends = KEYS[13], KEYS[14], KEYS[15]
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
