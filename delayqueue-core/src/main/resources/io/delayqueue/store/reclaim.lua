#!lua flags=allow-oom
-- Reclaims messages whose consumer stopped renewing its leases: PENDING -> SCHEDULED, or DEAD at the crash limit, if the message ran
-- alone in its process.
-- ARGV[1] visibility timeout (ms; used only if none is stored)
-- ARGV[2] limit (pending entries, 1 to 200; 0 to check only)
-- ARGV[3] max-crashes (crashes after which a message is dead-lettered by a crash while it ran alone)
-- ARGV[4] reason (text, opaque: the reason of the dead letter)
-- ARGV[5] last time (us, the time of Redis at this caller's last call, 0 for the first call)
-- ARGV[6] passed (us since that call by the caller's own monotonic clock)
-- ARGV[7] tolerance (us by which the clocks of Redis and of the caller may differ over this time)
-- ARGV[8] counts on (1 if dead letters keep their slot in the quota of their group, else 0)
-- ARGV[9] history (ms for which the history keeps an ended message, and the most ended messages, as 'ms|ends'; 'off' for no
--   history; empty to leave the setting as it is)
-- Returns {status, now (us), visibility timeout (ms, the stored one), then for each message: id, crashes, state}
--   reclaimed the check ran; the state of each message is scheduled or dead, or lost if its record is missing
--   silent    as reclaimed, and there may be more messages to reclaim
--   recorded  this was the caller's first call; it has reclaimed nothing, and only stored settings
--   jumped    the clock of Redis has jumped, so idle times mean nothing; nothing was written
-- Limits: a shorter visibility timeout takes effect once all processes have read it. Cost: O(pending entries + limit x log N),
-- reads no record.
local messages, scheduled, ready, entries, failures, dead, expiries, grouped, groups, active, parked, control, throttled,
  history, ends = unpack(KEYS)
local timeout, limit, max_crashes, reason = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local last_time, passed, tolerance, counts_on = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8] == '1'

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

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local stored, seen = unpack(redis.call('HMGET', control, 'visibility-timeout', 'visibility-timeout-seen'))
local wanted = tonumber(stored or timeout)
if stored and not (wanted and wanted >= 1000 and wanted <= 43200000) then
  return redis.error_reply('ERR visibility-timeout ' .. stored .. ' is stored, but it must be 1000 to 43200000 (ms)')
end
local reply = {'reclaimed', micros, wanted}
if last_time ~= 0 and math.abs(micros - last_time - passed) > tolerance then
  reply[1] = 'jumped'
  return reply
end

-- Reads the timeout of the last check, and a longer one that is still in effect until a time. By this time every process has read
-- the new timeout, because a process that holds messages reads it every 5 s.
local notice = 10000
local known, longer, till = string.match(seen or '', '^(%d+)|(%d+)|(%d+)$')
local counts = math.max(known or wanted, wanted, till and tonumber(till) > tonumber(now) and longer or 0)
-- A clock of Redis that goes back must not extend the time of the longer timeout.
local changed = known and (tonumber(known) ~= wanted or till - now > longer + notice)
if changed or (not known and (stored or last_time == 0)) then
  till = counts > wanted and now + counts + notice or 0
  redis.call('HSET', control, 'visibility-timeout', stored or timeout, 'visibility-timeout-seen',
    string.format('%.0f|%.0f|%.0f', wanted, counts, till))
end
-- If a queue no longer keeps a history, the ended messages in it stay for their time.
local to_keep = kept
if ARGV[9] == 'off' then
  to_keep = kept and string.match(kept, '^%d+') .. '|0'
elseif ARGV[9] ~= '' then
  to_keep = ARGV[9]
end
if to_keep ~= kept then
  redis.call('HSET', control, 'history', to_keep)
  kept = to_keep
end
if last_time == 0 then
  reply[1] = 'recorded'
  return reply
end
require_types('hash', grouped, 'hash', messages, 'hash', entries, 'hash', failures, 'zset', scheduled, 'zset', dead,
  'zset', expiries, 'zset', groups, 'zset', active, 'zset', parked)
local silent = redis.pcall('XPENDING', ready, 'consumers', 'IDLE', string.format('%.0f', counts), '-', '+',
  math.max(limit, 1))
if silent.err then
  return string.find(silent.err, 'NOGROUP', 1, true) and reply or silent
end
if #silent > 0 and #silent >= limit then
  reply[1] = 'silent'
end
if limit == 0 then
  return reply
end

local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
  throttled = throttled, history = history, ends = ends}
keys.any_throttled = any_throttled

-- Schedules or dead-letters a message whose consumer is silent; returns the number of its crashes, and its new state. The entry of a
-- message that runs alone counts more than one delivery.
local function take_back(id, group, consumer, deliveries)
  local failed, crashed, deferred, last, why = read_failure(redis.call('HGET', failures, id))
  local crashes, state = tonumber(crashed), 'scheduled'
  local due = redis.call('ZSCORE', scheduled, id)
  local died = redis.call('ZSCORE', dead, id)
  -- An earlier run that stopped half-way may have scheduled or dead-lettered the message, and counted the crash: this run does not
  -- count it again.
  if died and why == reason then
    state = 'dead'
  elseif not due or tonumber(due) > tonumber(now) then
    crashes = crashes + 1
    if crashes >= max_crashes and deliveries > 1 or died then
      state, why = 'dead', reason
      redis.call('ZADD', dead, now, id)
      redis.call('ZREM', scheduled, id)
    else
      redis.call('ZADD', scheduled, now, id)
    end
    local counts = failed .. '|' .. string.format('%.0f', crashes) .. '|' .. deferred .. '|' .. last .. '|' .. why
    redis.call('HSET', failures, id, counts)
    if state == 'dead' then
      local recorded = new_ends(kept, consumer, 'L')
      add_end(recorded, id, counts)
      write_ends(keys, recorded, time)
    end
  end
  if group and state == 'dead' then
    leave_group_dead(keys, id, group, counts_on)
  end
  return crashes, state
end

-- Removes the other data of a message whose record is missing.
local function remove_lost(id, group)
  redis.call('HDEL', failures, id)
  redis.call('ZREM', expiries, id)
  if group then
    leave_group(keys, id, group)
    redis.call('HDEL', grouped, id)
  end
  return 0, 'lost'
end

for _, lease in ipairs(silent) do
  local entry = lease[1]
  local found = redis.call('XRANGE', ready, entry, entry)[1]
  if found then
    local id = found[2][2]
    if redis.call('HGET', entries, id) == entry then
      local group = groups_of(keys, {id})[1]
      local settle = redis.call('HEXISTS', messages, id) == 1 and take_back or remove_lost
      local crashes, state = settle(id, group, lease[2], lease[4])
      reply[#reply + 1] = id
      reply[#reply + 1] = crashes
      reply[#reply + 1] = state
      redis.call('HDEL', entries, id)
    end
    redis.call('XDEL', ready, entry)
  end
  redis.call('XACK', ready, 'consumers', entry)
end
return reply
