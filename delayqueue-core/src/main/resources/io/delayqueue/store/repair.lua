#!lua flags=allow-oom
-- Moves each message that is in no state or in two states to its correct state, corrects due times that are too early, and removes
-- obsolete data: (any) -> SCHEDULED, READY, DEAD, (none).
-- ARGV[1] size (about how many bytes of records this run reads, before it leaves the remaining ids for another call)
-- ARGV[2 + 2n] id (text)
-- ARGV[3 + 2n] entry (id of a stream entry of the message; or the name of the key groups, active or parked, NUL, and a member of
--   this key; else empty)
-- Returns {'repaired', number of ids processed, from the first on, then for each repaired message: damage, id}
--   no-place   the message was in no state; now it is scheduled for the due time in its record
--   two-places the message was in a second state; now it is in one state
--   early      the message was scheduled too early; now it is scheduled for the due time in its record
--   left-over  obsolete data of the message, or of an id without a record, was removed
--   lost       the message has no record and has not finished; its other data was removed
-- Limits: at most 500 ids. Cost: O(log N) an id; reads the record of a message in no state, and of a scheduled message if the record
-- has at most 4 KB.
local messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked, control,
  throttled = unpack(KEYS)
local size = tonumber(ARGV[1])

local large = 4096

-- include layout
-- include types
-- include groups
-- include unpark
-- include slots
-- include consumer_group
-- include members

local foreign, any_throttled = read_control(control, 'throttled')
if foreign then
  return foreign
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local consumer_group, refused = read_consumer_group(ready)
if refused then
  return refused
end
require_types('hash', messages, 'hash', entries, 'hash', failures, 'hash', grouped, 'zset', scheduled, 'zset', dead,
  'zset', done, 'zset', expiries, 'zset', groups, 'zset', active, 'zset', parked, 'stream', ready)
local keys = {active = active, dead = dead, entries = entries, failures = failures, grouped = grouped, groups = groups, messages = messages,
  parked = parked, scheduled = scheduled,
  throttled = throttled}
keys.any_throttled = any_throttled

local function state_of(id, entry)
  local found = string.match(entry, '^%d+%-%d+$') and redis.call('XRANGE', ready, entry, entry)[1]
  if not found or found[2][2] ~= id then
    return 'gone'
  end
  if is_undelivered(ready, consumer_group, entry) then
    return 'undelivered'
  end
  return #redis.call('XPENDING', ready, 'consumers', entry, entry, 1) > 0 and 'pending' or 'stranded'
end

local bytes, processed, faults, seen = 0, 0, {}, {}

local function due_of(id)
  local record = redis.call('HGET', messages, id)
  bytes = bytes + #record
  return tonumber(string.match(record, '^.(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)') or now)
end

local function fault_of(id, other)
  local entry = redis.call('HGET', entries, id)
  local score = redis.call('ZSCORE', scheduled, id)
  local death = redis.call('ZSCORE', dead, id)
  local failed = redis.call('HEXISTS', failures, id) == 1
  local fault = {id = id}
  local of, member = string.match(other, '^(%a+)%z(.*)$')
  if of then
    if not is_member(keys, of, member, id, now) then
      fault.damage, fault.of, fault.member = 'left-over', of, member
    end
  elseif other ~= '' and other ~= entry and state_of(id, other) == 'stranded' then
    fault.damage, fault.other_entry = 'left-over', other
  end
  if seen[id] then
    return fault
  end
  seen[id] = true
  fault.entry, fault.group = entry, groups_of(keys, {id})[1]
  local is_parked = fault.group and redis.call('ZSCORE', parked, member_of(id, fault.group))
  if redis.call('HEXISTS', messages, id) == 0 then
    fault.remove_scheduled, fault.remove_dead, fault.remove_failures = score, death, failed
    fault.remove_group, fault.remove_expiry = fault.group, redis.call('ZSCORE', expiries, id)
    fault.without_record = true
    fault.remove_entry = entry and state_of(id, entry) ~= 'gone'
    if entry or score or death or is_parked then
      fault.damage = redis.call('ZSCORE', done, id) and 'left-over' or 'lost'
    elseif failed or fault.remove_group or fault.remove_expiry then
      fault.damage = 'left-over'
    end
    return fault
  end
  if fault.group and not death and not redis.call('ZSCORE', groups, member_of(id, fault.group)) then
    fault.damage, fault.add_to_groups = 'left-over', true
  end
  if fault.group and not redis.call('ZSCORE', groups, finding_member_of(id)) then
    fault.damage, fault.add_finding_member = 'left-over', true
  end
  if fault.group and death and not redis.call('ZSCORE', groups, dead_member_of(id, fault.group)) then
    -- A missing member is no damage here: an earlier release wrote dead letters without a member in groups.
    fault.add_dead_to_groups = true
  end
  fault.remove_parked = is_parked and (entry or score)
  if fault.remove_parked then
    fault.damage = 'two-places'
  end
  local state = entry and state_of(id, entry)
  if state == 'pending' then
    -- The settlement or the reclaim of this pending message completes the work of a script that stopped half-way.
    fault.entry = nil
  elseif state == 'undelivered' then
    fault.entry = nil
    if score or death then
      fault.damage, fault.remove_scheduled, fault.remove_dead = 'two-places', score, death
    end
  else
    fault.remove_entry = state == 'stranded'
    if entry then
      fault.damage = 'left-over'
    end
    if (score or is_parked) and death then
      -- A redrive of the message stopped half-way: this run completes it.
      fault.damage, fault.remove_failures, fault.remove_dead = 'two-places', failed, true
      fault.add_to_groups = fault.group and not redis.call('ZSCORE', groups, member_of(id, fault.group))
    end
    if not score and not death and (not is_parked or fault.remove_parked) then
      fault.damage, fault.due = 'no-place', due_of(id)
    elseif score and redis.call('HSTRLEN', messages, id) <= large then
      local due = due_of(id)
      -- A score later than the due time in the record is correct: retries, defers and redrives have such scores.
      if due > now and tonumber(score) < due then
        fault.damage, fault.due = 'early', due
      end
    end
  end
  return fault
end

for i = 2, #ARGV, 2 do
  if bytes >= size then
    break
  end
  local fault = fault_of(ARGV[i], ARGV[i + 1])
  if fault.damage or fault.add_dead_to_groups then
    faults[#faults + 1] = fault
  end
  processed = processed + 1
end

local reply = {'repaired', processed}
for _, fault in ipairs(faults) do
  if fault.due then
    redis.call('ZADD', scheduled, string.format('%.0f', fault.due), fault.id)
  end
  if fault.remove_failures and not fault.without_record then
    redis.call('HDEL', failures, fault.id)
  end
  if fault.remove_expiry then
    redis.call('ZREM', expiries, fault.id)
  end
  if fault.add_to_groups then
    redis.call('ZADD', groups, 0, member_of(fault.id, fault.group))
  end
  if fault.add_finding_member then
    redis.call('ZADD', groups, 0, finding_member_of(fault.id))
  end
  if fault.add_dead_to_groups and not fault.remove_dead then
    redis.call('ZADD', groups, 0, dead_member_of(fault.id, fault.group))
  end
  if fault.remove_parked then
    redis.call('ZREM', parked, member_of(fault.id, fault.group))
  end
  if fault.remove_group then
    leave_group(keys, fault.id, fault.remove_group)
    redis.call('HDEL', grouped, fault.id)
  end
  if fault.of == 'groups' then
    redis.call('ZREM', groups, fault.member)
  elseif fault.of == 'active' then
    redis.call('ZREM', active, fault.member)
  elseif fault.of == 'parked' then
    redis.call('ZREM', parked, fault.member)
  end
  if fault.remove_scheduled then
    redis.call('ZREM', scheduled, fault.id)
  end
  if fault.remove_dead then
    if fault.group then
      redis.call('ZREM', groups, dead_member_of(fault.id, fault.group))
    end
    redis.call('ZREM', dead, fault.id)
  end
  if fault.entry then
    redis.call('HDEL', entries, fault.id)
  end
  if fault.remove_entry then
    redis.call('XDEL', ready, fault.entry)
    redis.call('XACK', ready, 'consumers', fault.entry)
  end
  if fault.remove_failures and fault.without_record then
    -- Removes the failures last, because they show the next schedule call of this id that other data is left.
    redis.call('HDEL', failures, fault.id)
  end
  if fault.other_entry then
    redis.call('XDEL', ready, fault.other_entry)
  end
  if fault.damage then
    reply[#reply + 1] = fault.damage
    reply[#reply + 1] = fault.id
  end
end
return reply
