#!lua flags=allow-oom
-- Releases delivered messages that were not started, without counting a failure: PENDING -> SCHEDULED. The messages keep their
-- slots in their group.
-- ARGV[1 + 3n] entry (stream entry id that was delivered)
-- ARGV[2 + 3n] id (text)
-- ARGV[3 + 3n] due (ms since 1970; a time in the future counts as now unless '+' precedes it; -1 for now)
-- Returns {'settled', then for each message: answer}
--   counted    released by this run
--   gone       the message no longer exists
--   superseded the message has another delivery now, or was released before
-- Limits: at most 1,000 messages a call. Cost: O(log N) a message. Never reads a record.
local messages, scheduled, ready, entries, failures, expiries, grouped, groups, active, parked, control,
  throttled = unpack(KEYS)

-- include layout
-- include types
-- include groups
-- include unpark
-- include slots

local foreign, any_throttled = read_control(control, 'throttled')
if foreign then
  return foreign
end

local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
  throttled = throttled}
keys.any_throttled = any_throttled
local ids, delivered = {}, {}
for i = 1, #ARGV, 3 do
  delivered[#delivered + 1] = ARGV[i]
  ids[#ids + 1] = ARGV[i + 1]
end
local current = redis.call('HMGET', entries, unpack(ids))
require_types('hash', failures, 'zset', scheduled, 'zset', expiries, 'stream', ready)
local group_of = groups_of(keys, ids)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local reply, due_ids, own, gone, holding_up = {'settled'}, {}, {}, {}, {}
for n, id in ipairs(ids) do
  local exists = redis.call('HEXISTS', messages, id) == 1
  if current[n] == delivered[n] then
    own[#own + 1] = id
    if exists then
      local due = tonumber(ARGV[3 * n])
      if due < 0 or due > now and string.sub(ARGV[3 * n], 1, 1) ~= '+' then
        due = now
      end
      due_ids[#due_ids + 1] = string.format('%.0f', due)
      due_ids[#due_ids + 1] = id
      if group_of[n] and due > now then
        holding_up[#holding_up + 1] = id
      end
    else
      gone[#gone + 1] = n
    end
    reply[n + 1] = exists and 'counted' or 'gone'
  else
    reply[n + 1] = exists and 'superseded' or 'gone'
  end
end
if #due_ids > 0 then
  redis.call('ZADD', scheduled, unpack(due_ids))
end
-- Writes failures with zero counts, because a message that is scheduled for later keeps its active slot only if it has a value in
-- failures.
for _, id in ipairs(holding_up) do
  if redis.call('HEXISTS', failures, id) == 0 then
    redis.call('HSET', failures, id, '0|0|0||')
  end
end
for _, n in ipairs(gone) do
  redis.call('HDEL', failures, ids[n])
  redis.call('ZREM', expiries, ids[n])
  if group_of[n] then
    leave_group(keys, ids[n], group_of[n])
    redis.call('HDEL', grouped, ids[n])
  end
end
if #own > 0 then
  redis.call('HDEL', entries, unpack(own))
end
redis.call('XDEL', ready, unpack(delivered))
redis.call('XACK', ready, 'consumers', unpack(delivered))
return reply
