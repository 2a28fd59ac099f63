#!lua flags=allow-oom
-- Gives a message a new due time because its handler failed or deferred it: PENDING -> SCHEDULED.
-- ARGV[1] entry (stream entry id that was delivered)
-- ARGV[2] id (text)
-- ARGV[3] wait (ms from now until the message is due again)
-- ARGV[4] counts (what the attempt counts as: failure or defer)
-- ARGV[5] reason (text, opaque; not stored for a defer)
-- ARGV[6] keeps slot (1 if the message keeps its active slot in its group meanwhile, else 0)
-- ARGV[7] expired (1 if the message had expired when the attempt began; else 0: then it is due again no later than its expiry)
-- Returns {answer, due (ms, 0 if nothing was moved), now (us), new head (1 if the message is now the first due one, else 0), number
--   of parked messages that this run has scheduled again}
--   counted    moved by this run
--   gone       the message no longer exists, or an earlier call has settled this delivery
--   superseded the message has another delivery now: only that delivery can settle it
-- Cost: O(log N). Never reads a record.
local messages, scheduled, ready, entries, failures, expiries, grouped, groups, active, parked, control,
  throttled = unpack(KEYS)
local entry, id, wait, counts, reason, keeps = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6] == '1'
local expired = ARGV[7] == '1'

-- include layout
-- include types
-- include groups
-- include unpark
-- include slots
-- include failure

local foreign, any_throttled = read_control(control, 'throttled')
if foreign then
  return foreign
end

local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
  throttled = throttled}
keys.any_throttled = any_throttled
local exists = redis.call('HEXISTS', messages, id) == 1
local own = redis.call('HGET', entries, id) == entry
local failed, crashed, deferred, last, why = read_failure(failures, id)
local group = groups_of(keys, {id})[1]
local expiry = redis.call('ZSCORE', expiries, id)
local head = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]
require_types('stream', ready)
local time = redis.call('TIME')

local answer, due, unparked = 'counted', 0, 0
if own and exists then
  due = time[1] * 1000 + math.floor(time[2] / 1000) + wait
  if expiry and not expired and due > tonumber(expiry) then
    due = math.floor(expiry)
  end
  if last ~= entry then
    if counts == 'failure' then
      failed = string.format('%.0f', failed + 1)
      why = reason
    else
      deferred = string.format('%.0f', deferred + 1)
    end
  end
  -- Writes the counts first: if this run stops, a sweep may find the message in scheduled before a repeat of the call.
  redis.call('HSET', failures, id, failed .. '|' .. crashed .. '|' .. deferred .. '|' .. entry .. '|' .. why)
  redis.call('ZADD', scheduled, string.format('%.0f', due), id)
  if group and not keeps then
    unparked = free_slot(keys, id, group)
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
return {answer, due, time[1] * 1000000 + time[2], (due > 0 and (not head or due < tonumber(head))) and 1 or 0, unparked}
