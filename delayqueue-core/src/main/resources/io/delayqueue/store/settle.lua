#!lua flags=allow-oom
-- Settles delivered messages that were not handled: PENDING -> SCHEDULED or DEAD.
-- ARGV[1] where (text, the name of this process, for the history)
-- ARGV[2 + 7n] entry (stream entry id that was delivered)
-- ARGV[3 + 7n] id (text)
-- ARGV[4 + 7n] kind (release: no handler has started the message, and no failure counts; retry: its handler has failed; defer: its
--   handler has deferred it; dead: it becomes a dead letter; expired: it becomes a dead letter, and no failure counts)
-- ARGV[5 + 7n] due (release: ms since 1970, or -1 for now; retry, defer: ms from now; else 0)
-- ARGV[6 + 7n] bounded (1 if a release is due now at the latest, and a retry or defer at the expiry of the message at the latest; else 0)
-- ARGV[7 + 7n] keeps slot (1 if a scheduled message keeps its active slot in its group, or a dead letter its slot in the quota of its
--   group; else 0)
-- ARGV[8 + 7n] reason (text, opaque; not stored for a release or a defer)
-- Returns {'settled', new head (due time, ms, if this run has retried or deferred the message that is now the first due one, else 0),
--   now (us), number of parked messages that this run has scheduled again, then for each message: answer}
--   counted    settled by this run
--   gone       the message no longer exists, or an earlier settlement of this delivery counted
--   superseded the message has another delivery now, or was released before: only its current delivery can settle it
-- Limits: at most 1,000 messages a call. Cost: O(log N) a message. Never reads a record.
local messages, scheduled, ready, entries, failures, dead, expiries, grouped, groups, active, parked, control, throttled,
  history, ends = unpack(KEYS)

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
local args, delivered, ids, kinds, any = ARGV, {}, {}, {}, {}
for n = 1, (#args - 1) / 7 do
  delivered[n], ids[n], kinds[n] = args[7 * n - 5], args[7 * n - 4], args[7 * n - 3]
  any[kinds[n]] = true
end
-- Accesses dead only for dead letters, and scheduled only for the others: if Redis refuses one of them, other kinds go on.
local head
if any.release or any.retry or any.defer then
  head = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]
end
if any.dead or any.expired then
  require_types('zset', dead)
end
local current = redis.call('HMGET', entries, unpack(ids))
local failure_of = redis.call('HMGET', failures, unpack(ids))
local expiry_of = redis.call('ZMSCORE', expiries, unpack(ids))
local group_of = groups_of(keys, ids)
require_types('stream', ready)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function is_dead(n)
  return kinds[n] == 'dead' or kinds[n] == 'expired'
end

-- Returns the new due time of a message, ms since 1970.
local function due_of(n)
  local due, bounded = tonumber(args[7 * n - 2]), args[7 * n - 1] == '1'
  if kinds[n] == 'release' then
    return (due < 0 or bounded and due > now) and now or due
  end
  return bounded and expiry_of[n] and math.min(now + due, math.floor(expiry_of[n])) or now + due
end

-- Returns the new value of a message in failures. If an earlier run that stopped half-way has counted this attempt, this run does not
-- count it again.
local function failure_after(n, failed, crashed, deferred, last, why)
  local kind = kinds[n]
  if last ~= delivered[n] and (kind == 'retry' or kind == 'dead') then
    failed = string.format('%.0f', failed + 1)
  elseif last ~= delivered[n] and kind == 'defer' then
    deferred = string.format('%.0f', deferred + 1)
  end
  return failed .. '|' .. crashed .. '|' .. deferred .. '|' .. delivered[n] .. '|' .. (kind == 'defer' and why or args[7 * n + 1])
end

local reply, own, gone = {'settled', 0, time[1] * 1000000 + time[2], 0}, {}, {}
local died, counts, due_ids, first = {}, {}, {}, nil
local recorded = new_ends(kept, args[1], 'L')
for n, id in ipairs(ids) do
  local exists = redis.call('HEXISTS', messages, id) == 1
  local failed, crashed, deferred, last, why = read_failure(failure_of[n])
  if current[n] ~= delivered[n] then
    reply[n + 4] = (exists and last ~= delivered[n]) and 'superseded' or 'gone'
  elseif not exists then
    reply[n + 4] = 'gone'
    own[#own + 1], gone[#gone + 1] = n, id
  else
    reply[n + 4] = 'counted'
    own[#own + 1] = n
    local failure = kinds[n] ~= 'release' and failure_after(n, failed, crashed, deferred, last, why)
    if is_dead(n) then
      died[#died + 1], died[#died + 2] = string.format('%.0f', now), id
      if last ~= delivered[n] then
        add_end(recorded, id, failure)
      end
    else
      local due = due_of(n)
      due_ids[#due_ids + 1], due_ids[#due_ids + 2] = string.format('%.0f', due), id
      if failure then
        first = math.min(first or due, due)
      elseif group_of[n] and due > now and not failure_of[n] then
        -- A message that is scheduled for later keeps its active slot only if it has a value in failures.
        failure = '0|0|0||'
      end
    end
    if failure then
      counts[#counts + 1], counts[#counts + 2] = id, failure
    end
  end
end

if #died > 0 then
  redis.call('ZADD', dead, unpack(died))
end
-- Writes the counts before scheduled: if this run stops, a sweep may find the message in scheduled before a repeat of the call.
if #counts > 0 then
  redis.call('HSET', failures, unpack(counts))
end
write_ends(keys, recorded, time)
if #due_ids > 0 then
  redis.call('ZADD', scheduled, unpack(due_ids))
end
if #gone > 0 then
  redis.call('HDEL', failures, unpack(gone))
  redis.call('ZREM', expiries, unpack(gone))
end
local own_ids = {}
for m, n in ipairs(own) do
  own_ids[m] = ids[n]
  local id, group, keeps, unparked = ids[n], group_of[n], args[7 * n] == '1', 0
  if group and reply[n + 4] == 'gone' then
    unparked = leave_group(keys, id, group)
  elseif group and is_dead(n) then
    unparked = leave_group_dead(keys, id, group, keeps)
  elseif group and not keeps then
    unparked = free_slot(keys, id, group)
  end
  reply[4] = reply[4] + unparked
end
if #gone > 0 then
  redis.call('HDEL', grouped, unpack(gone))
end
if #own > 0 then
  redis.call('HDEL', entries, unpack(own_ids))
end
redis.call('XDEL', ready, unpack(delivered))
redis.call('XACK', ready, 'consumers', unpack(delivered))
if first and (not head or first < tonumber(head)) then
  reply[2] = first
end
return reply
