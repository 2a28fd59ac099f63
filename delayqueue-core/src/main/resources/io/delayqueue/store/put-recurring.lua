#!lua
-- Stores the definition of a recurring schedule with its first occurrence: (none) -> SCHEDULED. If the key has another
-- definition, the script replaces it, and removes its next occurrence, if no attempt has begun: SCHEDULED, PARKED, READY -> (none).
-- ARGV[1] partitions (of the queue, 1 to 1,024)
-- ARGV[2] newer epochs (text: the epochs after that of this partition, the current epoch last; empty if the caller has read none)
-- ARGV[3] key (text)
-- ARGV[4] generation (text, the id of this version of the definition; a repeat of the call has the same)
-- ARGV[5] stored (us, the time that the caller has read from Redis)
-- ARGV[6] body (bytes: lines with the group and the fields, then an envelope without its call token)
-- ARGV[7] ahead (1 to store the first occurrence now, 0 to store it when it is due)
-- ARGV[8] window (ms for which this partition does not receive a replaced definition from an older epoch again)
-- ARGV[9] expiry (of an occurrence: '+' and ms from the due time, empty for none)
-- ARGV[10] first instant (ms since 1970 in 16 digits)
-- ARGV[11] first instant (text)
-- ARGV[12] call token of the first occurrence (11 characters)
-- ARGV[13] unique (1 if no other partition has a definition with the key; 0 if one may have it: then a new definition has no
--   instant until a call passes 1, or the owner of the partition has removed the other definition)
-- ARGV[14] advanced (1 to replace a definition that is due; 0 if its due occurrences must be stored first)
-- ARGV[15] anchor (us, the time from which an interval without a begin counts)
-- Returns {answer, now (us), first due (ms: due time of a stored message that is now the first due one, else 0), draining since
--   (ms, 0 if it is not), number of parked messages that this run has scheduled again, 1 if this run, or perhaps an earlier run of
--   the call, has marked the partition as having recurring schedules, else 0}
--   created   the key is new here
--   replaced  another definition had the key; or an earlier run of this call stored the definition, which was replaced or removed
--     since; or another definition was stored after the caller had read its time, and so replaces this one: nothing was changed
--   unchanged the same definition is stored already; nothing was changed
--   draining  the partition accepts nothing new
--   carrying  a process is moving the stored definition to a newer epoch: nothing was changed
--   due       another definition with the key is due: nothing was changed
--   late      the first instant of the definition has passed: nothing was changed
--   elsewhere the partition is closed and has no definition with this key, and no record of its group other than dead letters that
--     move to a newer epoch
-- Cost: O(log N).
local messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked, control, throttled,
  recurring, recurrences = unpack(KEYS)
local partitions, newer, key, generation, stored_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local body, is_ahead, window = ARGV[6], ARGV[7] == '1', tonumber(ARGV[8])
local expiry, first_score, first_text, token = ARGV[9], ARGV[10], ARGV[11], ARGV[12]
local is_unique, is_advanced, anchor = ARGV[13] == '1', ARGV[14] == '1', ARGV[15]

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

local foreign, laid_out, stored_partitions, draining_since, closed, carrying, any_throttled, is_marked =
  read_control(control, 'layout', 'partitions', 'draining', 'closed', 'carrying', 'throttled', 'recurring')
if foreign then
  return foreign
end
if stored_partitions and stored_partitions ~= partitions and not closed then
  return redis.error_reply('PARTITIONS ' .. stored_partitions .. ' are stored, ' .. partitions .. ' are known')
end
if close(control, closed, newer) then
  closed, laid_out, stored_partitions = newer, '2', partitions
end
local keys = {messages = messages, scheduled = scheduled, ready = ready, entries = entries, failures = failures, dead = dead,
  done = done, expiries = expiries, grouped = grouped, groups = groups, active = active, parked = parked, throttled = throttled}
keys.any_throttled = any_throttled
require_types('hash', messages, 'zset', scheduled, 'stream', ready, 'hash', entries, 'hash', failures, 'zset', dead, 'zset', done,
  'zset', expiries, 'hash', grouped, 'zset', groups, 'zset', active, 'zset', parked, 'hash', recurring, 'zset', recurrences)
local time = redis.call('TIME')
local micros, now = time[1] * 1000000 + time[2], time[1] * 1000 + math.floor(time[2] / 1000)
local ends = string.format('%.0f', now + window)

local stored = redis.call('HGET', recurring, key)
local before = read_definition(stored)
local is_newer = refuse_newer(stored)
if is_newer then
  return is_newer
end
local group = string.match(body, '^[^\n]*')
local is_own = before and before.generation == generation
if not is_own and redis.call('ZSCORE', done, 'recurring\0' .. generation) then
  -- An earlier run of this call has stored the definition, which was replaced or removed since.
  return {'replaced', micros, 0, 0, 0, 0}
elseif not before and closed and not (group ~= '' and not carrying and is_held(keys, '', group)) then
  return {'elsewhere', micros, 0, 0, 0, 0}
elseif before and before.is_carried then
  return {'carrying', micros, 0, 0, 0, 0}
elseif draining_since and not is_own then
  return {'draining', micros, 0, tonumber(draining_since), 0, 0}
elseif before and not is_own and before.body == body and before.suspended == '0' then
  return {'unchanged', micros, 0, 0, 0, 0}
elseif before and not is_own and tonumber(before.stored) > tonumber(stored_at) and tonumber(before.stored) <= micros then
  -- A time to come does not count: the clock of Redis has been set back.
  return {'replaced', micros, 0, 0, 0, 0}
end
local due = before and not is_own and not is_stopped(before) and tonumber(redis.call('ZSCORE', recurrences, key) or '0')
if due and due > 0 and due <= now and not is_advanced then
  return {'due', micros, 0, 0, 0, 0}
elseif not is_own and tonumber(first_score) <= now then
  return {'late', micros, 0, 0, 0, 0}
end

local definition = is_own and before or read_definition('1 ' .. generation .. ' ' .. stored_at .. ' 0 0 - 0 0 0 0 ' .. anchor .. '\n' .. body)
if before and not is_own then
  definition.paused, definition.missed, definition.skipped = before.paused, before.missed, before.skipped
  definition.replaced = before.replaced + 1
end
local occurrence = {id = occurrence_id(key, definition, first_text), score = first_score, token = token, name = group, expiry_spec = expiry,
  envelope = definition.envelope}
local begins = not is_own or before.is_unchecked and is_unique
definition.is_unchecked = not is_unique and (not before or before.is_unchecked)
local stores_ahead = is_ahead and not closed and not is_stopped(definition) and not definition.is_unchecked
  and (begins or definition.last == '-' .. first_text)
-- A repeat of the call must not set the instant of the definition back.
local is_placed = is_own and tonumber(redis.call('ZSCORE', recurrences, key) or '0') > 0
local unparked, refused, first = 0, nil, nil

if not (laid_out and stored_partitions) then
  redis.call('HSET', control, 'layout', laid_out or '1', 'partitions', partitions)
end
if not is_marked then
  redis.call('HSET', control, 'recurring', '1')
end
if before and not is_own then
  local ahead = ahead_of(before)
  if ahead then
    -- Until the new definition is stored, the instant of the old definition has no occurrence. If this run stops, a repeat removes
    -- what is left of that occurrence.
    before.last, before.storing = '-' .. ahead, ''
    redis.call('HSET', recurring, key, definition_of(before))
    local ahead_id = occurrence_id(key, before, ahead)
    unparked, refused = withdraw(keys, ahead_id, now)
    if refused then
      return refused
    end
    definition.last = redis.call('HEXISTS', messages, ahead_id) == 1 and ahead or '-'
  end
  redis.call('ZADD', done, ends, 'recurring\0' .. before.generation)
end
if not is_own then
  -- If this run stops, the instant 0 makes the stored definition due: the next run of advance-recurring.lua gets its next instant.
  redis.call('ZADD', recurrences, '0', key)
end
if begins then
  definition.last = stores_ahead and '-' .. first_text or definition.last
  redis.call('HSET', recurring, key, definition_of(definition))
end
if not is_placed and not definition.is_unchecked then
  redis.call('ZADD', recurrences, is_stopped(definition) and '+inf' or first_score, key)
end
if stores_ahead then
  read_occurrences(keys, {occurrence})
  if not occurrence.is_known and redis.call('ZCOUNT', scheduled, '-inf', '(' .. first_score) == 0 then
    first = tonumber(first_score)
  end
  store_occurrences(keys, {occurrence})
  definition.last = first_text
  redis.call('HSET', recurring, key, definition_of(definition))
end
return {definition.replaced > 0 and 'replaced' or 'created', micros, first or 0, 0, unparked, (is_own or not is_marked) and 1 or 0}
