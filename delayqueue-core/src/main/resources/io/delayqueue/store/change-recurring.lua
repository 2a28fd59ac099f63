#!lua flags=allow-oom
-- Pauses, resumes, suspends, continues or removes a recurring schedule. An operation that stops a schedule also removes its next
-- occurrence, if that is stored already: SCHEDULED, PARKED, READY -> (none). Resuming or continuing a schedule that has no further
-- instant removes the schedule.
-- ARGV[1] operation (pause, resume, suspend, continue, delete; remove-older: delete the definition if another partition has a later
--   one with its key, unless this one is paused, or was due when the later one was stored; remove-advanced: the same even if it was
--   due; remove-paused: the same even if it is paused; carried: delete it after a newer epoch has stored it)
-- ARGV[2] key (text)
-- ARGV[3] generation (text: only a definition of this generation matches; empty for any)
-- ARGV[4] window (ms for which this partition does not receive a removed definition from an older epoch again)
-- ARGV[5] than (for remove-older, remove-advanced and remove-paused: when the later definition was stored (us), followed by its
--   generation; else empty)
-- ARGV[6] expiry (of an occurrence: '+' and ms from the due time, empty for none)
-- ARGV[7] ahead (1 to store the next occurrence now, 0 to store it when it is due)
-- ARGV[8] next instant (ms since 1970 in 16 digits, for resume and continue; +inf for none)
-- ARGV[9] next instant (text, empty for none)
-- ARGV[10] call token of the next occurrence (11 characters, or empty)
-- ARGV[11] latest (ms: after this time nothing is suspended, because what the caller knows is too old; 0 for any time)
-- Returns {answer, now (us), first due (ms: due time of a stored message that is now the first due one, else 0), number of parked
--   messages that this run has scheduled again}
--   done      the definition is now as the operation asks
--   none      there is no such definition
--   elsewhere as none, and the partition is closed
--   carrying  a process is moving the definition to a newer epoch; nothing was changed
--   differs   the definition has another generation, or was stored later than the definition of ARGV[5]; nothing was changed
--   paused    the older definition is paused; nothing was changed
--   due       due occurrences of the older definition must be stored first; nothing was changed
--   late      the latest time has passed; nothing was changed
-- Cost: O(log N).
local messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked, control, throttled,
  recurring, recurrences = unpack(KEYS)
local operation, key, generation, window = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local than, expiry, is_ahead, next_score, next_text, token = ARGV[5], ARGV[6], ARGV[7] == '1', ARGV[8], ARGV[9], ARGV[10]
local latest = tonumber(ARGV[11])

-- include layout
-- include close
-- include types
-- include new_messages
-- include groups
-- include unpark
-- include slots
-- include lease
-- include remains
-- include held
-- include definition
-- include occurrences
-- include withdraw

local foreign, closed, any_throttled = read_control(control, 'closed', 'throttled')
if foreign then
  return foreign
end
local keys = {messages = messages, scheduled = scheduled, ready = ready, entries = entries, failures = failures, dead = dead,
  done = done, expiries = expiries, grouped = grouped, groups = groups, active = active, parked = parked, throttled = throttled}
keys.any_throttled = any_throttled
require_types('hash', messages, 'zset', scheduled, 'stream', ready, 'hash', entries, 'hash', failures, 'zset', dead, 'zset', done,
  'zset', expiries, 'hash', grouped, 'zset', groups, 'zset', active, 'zset', parked, 'hash', recurring, 'zset', recurrences)
local time = redis.call('TIME')
local micros, now = time[1] * 1000000 + time[2], time[1] * 1000 + math.floor(time[2] / 1000)
local since, ends = string.format('%.0f', now), string.format('%.0f', now + window)

local stored = redis.call('HGET', recurring, key)
local definition, is_newer = read_definition(stored), refuse_newer(stored)
if is_newer then
  return is_newer
elseif not definition then
  local is_removed = operation == 'delete' and redis.call('HDEL', recurring, key) == 1
    or (operation == 'resume' or operation == 'continue') and next_text == ''
    and redis.call('ZSCORE', done, 'recurring\0' .. generation)
  redis.call('ZREM', recurrences, key)
  return {is_removed and 'done' or closed and 'elsewhere' or 'none', micros, 0, 0}
elseif generation ~= '' and definition.generation ~= generation then
  return {'differs', micros, 0, 0}
elseif operation == 'carried' then
  if definition.is_carried then
    redis.call('ZREM', recurrences, key)
    redis.call('HDEL', recurring, key)
  end
  return {'done', micros, 0, 0}
elseif definition.is_carried then
  return {'carrying', micros, 0, 0}
elseif operation == 'suspend' and latest > 0 and now > latest and definition.suspended == '0' then
  return {'late', micros, 0, 0}
end

local function write()
  redis.call('HSET', recurring, key, definition_of(definition))
end

local function remove()
  redis.call('ZADD', done, ends, 'recurring\0' .. definition.generation)
  redis.call('ZREM', recurrences, key)
  redis.call('HDEL', recurring, key)
end

-- Stops a definition and removes its next occurrence. If this run stops half-way, its repeat or the next run of
-- advance-recurring.lua completes it.
local function stop()
  write()
  local last_id = occurrence_id(key, definition, ahead_of(definition))
  local unparked, refused = 0, nil
  if last_id then
    unparked, refused = withdraw(keys, last_id, now)
  end
  redis.call('ZADD', recurrences, '+inf', key)
  return {'done', micros, 0, unparked}, refused
end

if operation == 'pause' or operation == 'suspend' then
  local mark = operation == 'pause' and 'paused' or 'suspended'
  definition[mark] = definition[mark] ~= '0' and definition[mark] or since
  local reply, refused = stop()
  return refused or reply
elseif operation == 'delete' or than ~= '' then
  local age = definition.stored .. definition.generation
  if than ~= '' and age >= than then
    return {age == than and 'none' or 'differs', micros, 0, 0}
  elseif (operation == 'remove-older' or operation == 'remove-advanced') and definition.paused ~= '0' then
    return {'paused', micros, 0, 0}
  elseif operation == 'remove-older' and not is_stopped(definition) then
    local due = tonumber(redis.call('ZSCORE', recurrences, key) or '0')
    if due > 0 and due <= tonumber(string.sub(than, 1, 16)) / 1000 then
      return {'due', micros, 0, 0}
    end
  end
  -- If this run stops half-way, it leaves the definition stopped: suspended for remove-older, because a repeat must not find it
  -- paused.
  local mark = than == '' and 'paused' or 'suspended'
  definition[mark] = definition[mark] ~= '0' and definition[mark] or since
  local reply, refused = stop()
  if refused then
    return refused
  end
  remove()
  return reply
end

local was_stopped, mark = is_stopped(definition), operation == 'resume' and 'paused' or 'suspended'
local was_marked, starting = definition[mark] ~= '0', '-' .. next_text
if not was_marked and (next_text == '' or definition.last ~= starting) then
  return {'done', micros, 0, 0}
end
definition[mark] = '0'
if was_marked and (not was_stopped or is_stopped(definition)) then
  write()
  return {'done', micros, 0, 0}
end
if next_text == '' then
  -- It has ended.
  remove()
  return {'done', micros, 0, 0}
end
local first, occurrence = 0, nil
if is_ahead and not closed then
  occurrence = {id = occurrence_id(key, definition, next_text), score = next_score, token = token, name = definition.group, expiry_spec = expiry,
    envelope = definition.envelope}
  read_occurrences(keys, {occurrence})
  if not occurrence.is_known and redis.call('ZCOUNT', scheduled, '-inf', '(' .. next_score) == 0 then
    first = tonumber(next_score)
  end
end
if was_marked then
  -- Until this run has written the definition, it is still stopped. If this run stops before, the next run of advance-recurring.lua
  -- corrects the instant.
  redis.call('ZADD', recurrences, next_score, key)
  if occurrence then
    definition.last = starting
  elseif definition.last == next_text and redis.call('HEXISTS', messages, occurrence_id(key, definition, next_text)) == 0 then
    -- The pause or suspension has removed the occurrence of that instant; advance-recurring.lua stores it when it is due.
    definition.last = '-'
  end
  definition.storing = ''
  write()
end
if occurrence then
  store_occurrences(keys, {occurrence})
  definition.last = next_text
  write()
end
return {'done', micros, first, 0}
