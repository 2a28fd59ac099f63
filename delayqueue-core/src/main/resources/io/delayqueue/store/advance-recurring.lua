#!lua
-- Stores occurrences of recurring schedules and advances their definitions, then reads definitions that are due:
-- (none) -> SCHEDULED. Removes a definition whose last instant has come. While the partition or the group of a definition is
-- paused or held, the definition does not advance: its instants are missed as if no process consumed the queue.
-- ARGV[1] newer epochs (text: the epochs after that of this partition, the current epoch last; empty if the caller has read none)
-- ARGV[2] limit (definitions to read, 1 to 1,000)
-- ARGV[3] the instant of the definition after which to read (ms, text, empty to begin)
-- ARGV[4] the key of that definition (text, empty to begin)
-- ARGV[5] window (ms for which this partition refuses to receive, from an older epoch, a definition that has ended here)
-- ARGV[6] replaced (1 if the definitions advance because they will be replaced or removed: then pauses and holds do not matter)
-- ARGV[7 + n] for each definition to advance: key (text), generation (text), the instant at which it is due (ms), the next one
--   (ms, +inf for none: the definition has ended and is removed), overlap (skip, or allow), missed instants, skipped instants,
--   expiry (of an occurrence: '+' and ms from the due time, empty for none), the number of its occurrences; then for each of them:
--   due (ms since 1970 in 16 digits), instant (text), call token (11 characters)
-- Returns {state, now (us), first due (ms, 0 if this run has stored no first due message), next (ms, the first instant to come, 0
--   if there is none), damage (1 if definitions have no instant, else 0), instant and key of the last definition that was read (text,
--   empty if none was), waiting (1 if definitions may be due that wait for the end of a pause or a hold), the number of advanced
--   definitions, for each of them: answer; then for each definition that is due (in a
--   closed partition: for each definition): key, instant (ms, text, +inf if none), the definition without its envelope (empty if a
--   newer version or another program wrote it)}
--   open, closed  the partition is open or closed
--   draining      the partition accepts nothing new; nothing was done
--   advanced      the definition is due at its next instant, or has ended
--   skipped       like advanced, but no occurrence was stored, because the last occurrence has not ended
--   waits         the definition waits for the end of a pause or a hold; nothing was done
--   known         another run has advanced the definition, or it was changed after the caller had read it, or the dead letters of
--     the partition move to a newer epoch: then the definition must move too
-- Limits: 1,000 occurrences. Cost: O(log N) each; reads due definitions.
local messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked, control, throttled,
  recurring, recurrences, holds = unpack(KEYS)
local newer, limit, after, after_key, window = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[5])
local is_replaced = ARGV[6] == '1'

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
-- include holds

local foreign, draining_since, closed, carrying, any_throttled, paused_since, latest_hold =
  read_control(control, 'draining', 'closed', 'carrying', 'throttled', 'paused', 'holds')
if foreign then
  return foreign
end
if close(control, closed, newer) then
  closed = newer
end
local keys = {messages = messages, scheduled = scheduled, ready = ready, entries = entries, failures = failures, dead = dead,
  done = done, expiries = expiries, grouped = grouped, groups = groups, active = active, parked = parked, throttled = throttled}
keys.any_throttled = any_throttled
require_types('hash', messages, 'zset', scheduled, 'stream', ready, 'hash', entries, 'hash', failures, 'zset', dead, 'zset', done,
  'zset', expiries, 'hash', grouped, 'zset', groups, 'zset', active, 'zset', parked, 'hash', recurring, 'zset', recurrences, 'hash', holds)
local time = redis.call('TIME')
local micros, now = time[1] * 1000000 + time[2], time[1] * 1000 + math.floor(time[2] / 1000)
if draining_since then
  return {'draining', micros, 0, 0, 0, '', '', 0, 0}
end

local are_held = not is_replaced and any_held(latest_hold, now)
local is_stopped_queue = not is_replaced and (paused_since or are_held and end_of_hold(redis.call('HGET', holds, ''), now))

-- Whether an occurrence of the definition would not be delivered now, because of a pause or a hold.
local function waits(definition)
  return is_stopped_queue
    or are_held and definition.group ~= '' and end_of_hold(redis.call('HGET', holds, definition.group), now)
end

-- Whether the last occurrence has a record, and is no dead letter.
local function is_running(key, definition)
  local last = occurrence_id(key, definition, last_of(definition))
  return last and redis.call('HEXISTS', messages, last) == 1 and not redis.call('ZSCORE', dead, last)
end

local answers, advanced, occurrences, at = {}, {}, {}, 7
for _ = 1, #ARGV do
  if at > #ARGV then
    break
  end
  local key, generation, due, next_due = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), ARGV[at + 3]
  local first, count = at + 9, tonumber(ARGV[at + 8])
  local definition, score = read_definition(redis.call('HGET', recurring, key)), redis.call('ZSCORE', recurrences, key)
  if not definition or definition.generation ~= generation or definition.is_carried or is_stopped(definition)
      or not score or tonumber(score) ~= due or carrying and count > 0 then
    answers[#answers + 1] = 'known'
  elseif waits(definition) then
    answers[#answers + 1] = 'waits'
  else
    local answer, last, skipped = 'advanced', nil, tonumber(ARGV[at + 6])
    if ARGV[at + 4] == 'skip' and count > 0 and is_running(key, definition) then
      answer, skipped, count = 'skipped', skipped + count, 0
    end
    for n = 0, count - 1 do
      local i = first + 3 * n
      last = ARGV[i + 1]
      occurrences[#occurrences + 1] = {id = occurrence_id(key, definition, last), score = ARGV[i], token = ARGV[i + 2],
        name = definition.group, expiry_spec = ARGV[at + 7], envelope = definition.envelope}
    end
    advanced[#advanced + 1] = {key = key, score = next_due, definition = definition, last = last,
      missed = tonumber(ARGV[at + 5]), skipped = skipped}
    answers[#answers + 1] = answer
  end
  at = first + 3 * tonumber(ARGV[at + 8])
end
read_occurrences(keys, occurrences)
local head = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')

for _, one in ipairs(advanced) do
  if one.last then
    -- If this run stops, what stops or replaces the definition removes that occurrence.
    one.definition.storing = one.last
    redis.call('HSET', recurring, one.key, definition_of(one.definition))
  end
end
local first = store_occurrences(keys, occurrences)
for _, one in ipairs(advanced) do
  local definition = one.definition
  definition.last, definition.storing, definition.is_unchecked = one.last or definition.last, '', false
  definition.missed, definition.skipped = definition.missed + one.missed, definition.skipped + one.skipped
  -- The instant comes last: until then the definition is due, and the next run stores no occurrence again.
  if one.score == '+inf' then
    redis.call('ZADD', done, string.format('%.0f', now + window), 'recurring\0' .. definition.generation)
    redis.call('HDEL', recurring, one.key)
    redis.call('ZREM', recurrences, one.key)
  else
    redis.call('HSET', recurring, one.key, definition_of(definition))
    redis.call('ZADD', recurrences, one.score, one.key)
  end
end

local reply = {closed and 'closed' or 'open', micros, 0, 0, 0, '', '', 0, #answers}
if first and first < tonumber(head[2] or math.huge) then
  reply[3] = first
end
for _, answer in ipairs(answers) do
  reply[#reply + 1] = answer
end
local start = 0
if after ~= '' then
  -- If the definition is not there any more, those of its instant are read again.
  start = redis.call('ZSCORE', recurrences, after_key) == after and redis.call('ZRANK', recurrences, after_key) + 1
    or redis.call('ZCOUNT', recurrences, '-inf', '(' .. after)
end
local due = closed and redis.call('ZRANGE', recurrences, start, start + limit - 1, 'WITHSCORES')
  or is_stopped_queue and {} or redis.call('ZRANGE', recurrences, '-inf', string.format('%.0f', now), 'BYSCORE', 'LIMIT', start, limit, 'WITHSCORES')
reply[6], reply[7] = due[#due] or '', due[#due - 1] or ''
for i = 1, #due, 2 do
  local key = due[i]
  local value = redis.call('HGET', recurring, key)
  local definition = read_definition(value)
  if not value then
    -- A script that stopped half-way has left it.
    redis.call('ZREM', recurrences, key)
  elseif not definition then
    reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = key, due[i + 1], ''
  else
    if is_stopped(definition) and tonumber(due[i + 1]) < math.huge then
      redis.call('ZADD', recurrences, '+inf', key)
    end
    if not closed and waits(definition) then
      reply[8] = 1
    elseif closed or not is_stopped(definition) and not definition.is_carried then
      reply[#reply + 1] = key
      reply[#reply + 1] = is_stopped(definition) and '+inf' or due[i + 1]
      reply[#reply + 1] = shown_of(definition)
    end
  end
end
if is_stopped_queue then
  reply[8] = 1
end
local following = redis.call('ZRANGE', recurrences, '(' .. string.format('%.0f', now), '(+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
reply[4] = tonumber(following[2] or '0')
reply[5] = redis.call('HLEN', recurring) ~= redis.call('ZCARD', recurrences) and 1 or 0
return reply
