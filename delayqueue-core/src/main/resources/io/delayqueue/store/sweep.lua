#!lua flags=allow-oom
-- Moves due messages to the stream, oldest due time first: SCHEDULED -> READY. Parks due messages of a group that is at its limit
-- or held: SCHEDULED -> PARKED. Moves parked messages when their group has a free slot (PARKED -> SCHEDULED), or when a hold ends or
-- their group has a token (PARKED -> READY). Removes finished ids and holds whose time has ended. Then delivers ready messages to a
-- consumer, if it requests some: READY -> PENDING. Moves and delivers nothing while the partition is paused or held.
-- KEYS[1] scheduled (zset)
-- KEYS[2] ready (stream)
-- KEYS[3] entries (hash)
-- KEYS[4] done (zset)
-- KEYS[5] grouped (hash)
-- KEYS[6] groups (zset)
-- KEYS[7] active (zset)
-- KEYS[8] parked (zset)
-- KEYS[9] control (hash)
-- KEYS[10] messages (hash)
-- KEYS[11] failures (hash)
-- KEYS[12] expiries (zset)
-- KEYS[13] rates (zset)
-- KEYS[14] throttled (zset)
-- KEYS[15] holds (hash)
-- ARGV[1] consumer (text)
-- ARGV[2] most (messages to deliver, 0 to 1,000)
-- ARGV[3] enough (bytes of records after which the reply contains no further record; a run of read.lua returns the others)
-- ARGV[4] batch size (messages, 1 to 1,000)
-- ARGV[5] high-water mark (undelivered messages in the stream)
-- ARGV[6] forget (maximum number of finished ids to remove, 1 to 5,000)
-- ARGV[7] backlog (messages: after the sweep has parked this number, it checks only the most recently due messages)
-- ARGV[8] behind (text: the group behind which to search for groups with parked messages and free slots)
-- ARGV[9] limit (messages of a group that are ready or pending, 0 for none)
-- ARGV[10] interval (us from one token of a group to the next one, 0 if groups have no rate)
-- ARGV[11] burst (most tokens of a group)
-- ARGV[12] valid until (ms, end of the grant for the messages; 0 without a grant)
-- ARGV[13] known (the last stream entry id that the consumer has received, to detect a lost reply; empty to skip this check)
-- ARGV[14 + 4n] group (text, a group with its own limits)
-- ARGV[15 + 4n] limit of this group (messages, 0 for none)
-- ARGV[16 + 4n] interval of this group (us, 0 for none)
-- ARGV[17 + 4n] burst of this group (tokens)
-- Returns {swept, paused, held, limited (there is no grant, and the queue has limits) or unheard (the reply of an earlier run was
--   lost, and its messages are pending), now (us), moved, lag (ready and not delivered, after the delivery), next due (ms, -1 if
--   none; after parking a backlog the next one that is not due yet; while the partition is held the end of the hold), removed
--   finished ids, parked by this run, behind (for the next run), latest end of all holds (ms, 0 if there is none), the messages
--   (append_records)}
-- Limits: a message of a group with a rate takes a token when it is moved. If groups have rates, the caller therefore sets batch size
-- and high-water mark to the number of messages to deliver.
-- Cost: O((batch size + backlog) x log N + 2,000 + bytes of records). The script writes only keys that change.
local scheduled, ready, entries, done, grouped = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local groups, active, parked, control = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local messages, failures, expiries = KEYS[10], KEYS[11], KEYS[12]
local rates, throttled, holds = KEYS[13], KEYS[14], KEYS[15]
local keys = {scheduled = scheduled, ready = ready, entries = entries, grouped = grouped, groups = groups, active = active,
  parked = parked, messages = messages, failures = failures, expiries = expiries, rates = rates, throttled = throttled,
  control = control, holds = holds}
local consumer, most_delivered, enough = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local batch, high_water, forget = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local backlog, behind, limit = tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])

-- include layout
-- include types
-- include read
-- include groups
-- include unpark
-- include holds
-- include held_groups
-- include rates
-- include bytes
-- include first_due
-- include choose
-- include resume
-- include ended_holds

local foreign, paused_since, any_throttled, limited_since, latest_hold =
  read_control(control, 'paused', 'throttled', 'limited', 'holds')
if foreign then
  return foreign
end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))

local are_held = any_held(latest_hold, tonumber(now))
local held_until = are_held and end_of_hold(redis.call('HGET', holds, ''), tonumber(now))
if are_held then
  require_types('hash', grouped, 'zset', throttled)
end
local most, state = deliverable(most_delivered, 'swept', paused_since, held_until, limited_since, tonumber(ARGV[12]),
  tonumber(now))
if most > 0 and has_unheard(keys, consumer, ARGV[13]) then
  most, state = 0, 'unheard'
end
if state == 'limited' or most < most_delivered then
  high_water = 0
end

local length = redis.call('XLEN', ready)
local pending = length > 0 and redis.pcall('XPENDING', ready, 'consumers') or {}
if pending.err and not string.find(pending.err, 'NOGROUP', 1, true) then
  return pending
end
-- Entries that a settlement has removed but could not acknowledge are pending, but not in the stream.
local lag = math.max(0, length - (pending[1] or 0))
require_types('zset', scheduled)
local any = prepare_read(keys)
local ended = redis.call('ZRANGE', done, '-inf', now, 'BYSCORE', 'LIMIT', 0, forget)
local any_parked = redis.call('ZCARD', parked) > 0

-- The state of this run: limits and rates by group; ids that go to the stream, with new members of active, the due times of
-- those that were parked, and members that leave parked; ids to park, with their members, and the slots that throttled ones leave;
-- by group: slots, how many parked messages to schedule again, buckets of tokens, end of a hold, whether it is throttled or no longer.
local run = {now = now, micros = time[1] * 1000000 + time[2], batch = batch, limit = limit, limits = {}, any_parked = any_parked,
  rate = {tonumber(ARGV[10]), tonumber(ARGV[11])}, rates = {}, has_rates = ARGV[10] ~= '0',
  ids = {}, is_chosen = {}, taken_slots = {}, resumed_dues = {}, unparked = {}, parking = {}, parking_members = {}, left_slots = {},
  slots = {}, to_unpark = {}, search = {left = 1000}, buckets = {}, held = {}, throttled = {}, resumed = {}, next_resumable = 1,
  resumable = any_throttled and redis.call('ZRANGE', throttled, '-inf', now, 'BYSCORE', 'LIMIT', 0, math.max(batch, 100)) or {}}
for i = 14, #ARGV, 4 do
  run.limits[ARGV[i]] = tonumber(ARGV[i + 1])
  run.rates[ARGV[i]] = {tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])}
  run.has_rates = run.has_rates or ARGV[i + 2] ~= '0'
end

-- Reads the groups of due ids, and what it takes to decide on them: their buckets and holds, and which ids have expired.
local function read_groups(page)
  local group_of, names = groups_of(keys, page), {}
  if not run.has_rates and not are_held then
    return group_of, {}
  end
  for n = 1, #page do
    if group_of[n] then
      names[#names + 1] = group_of[n].name
    end
  end
  read_buckets(keys, run, names)
  read_holds(keys, run.held, are_held and names or {}, tonumber(now))
  return group_of, run.has_rates and expired_of(keys, any, page, now) or {}
end

-- Decides on due messages, oldest first, until the batch is full or a whole backlog is parked.
local function decide_on_oldest(most_moved)
  local offset = 0
  for _ = 1, batch + backlog do
    local most = math.min(most_moved - #run.ids, 2 * backlog)
    if most <= 0 or #run.parking >= backlog then
      return
    end
    local page = redis.call('ZRANGE', keys.scheduled, '-inf', now, 'BYSCORE', 'LIMIT', offset, most)
    if #page > 0 then
      offset = offset + #page
      local group_of, expired = read_groups(page)
      for n, id in ipairs(page) do
        decide(keys, run, id, group_of[n], expired[n])
        if #run.parking >= backlog then
          return
        end
      end
    end
    if #page < most then
      return
    end
  end
end

-- Decides on the most recently due messages, until too many of them stay scheduled: other groups do not wait until the whole
-- backlog of a group is parked.
local function decide_behind_backlog(most_moved)
  local read, moved, seen = 0, #run.ids, {}
  for n = 1, math.max(#run.ids, #run.parking) do
    seen[run.ids[n] or ''], seen[run.parking[n] or ''] = true, true
  end
  for _ = 1, 2 * backlog do
    local stayed = read - (#run.ids - moved)
    local most = math.min(most_moved - #run.ids, 2 * backlog - stayed)
    local page = most > 0 and redis.call('ZRANGE', keys.scheduled, now, '-inf', 'BYSCORE', 'REV', 'LIMIT', read, most) or {}
    if #page == 0 then
      return
    end
    read = read + #page
    local group_of, expired = read_groups(page)
    for n = #page, 1, -1 do
      if not seen[page[n]] then
        decide(keys, run, page[n], group_of[n], expired[n], true)
      end
    end
  end
end

-- Whether the parked messages of a group wait for a token or the end of a hold.
local function is_resumed_later(name)
  read_holds(keys, run.held, are_held and {name} or {}, tonumber(now))
  local at = any_throttled and redis.call('ZSCORE', keys.throttled, name)
  if at and not run.late then
    find_late(keys, run, name, at, are_held)
  end
  return run.held[name] or at
end

-- Checks a few groups for free slots that a stopped script has not given to parked messages; returns the last of them, empty
-- if no more follow.
local function find_free_slots(from_group)
  local from, name = from_group == '' and '-' or '(' .. from_group .. '\1', ''
  for _ = 1, (run.has_rates or are_held) and 2 or 20 do
    local first = redis.call('ZRANGE', keys.parked, from, '+', 'BYLEX', 'LIMIT', 0, 1)[1]
    if not first then
      return ''
    end
    name = string.match(first, '^(%Z*)')
    from = '(' .. name .. '\1'
    local free = slots_of(keys, run, name).free
    if free > 0 and not paused_since and not held_until and not is_resumed_later(name) then
      run.to_unpark[name] = math.min(free, 50)
    end
  end
  return name
end

local most_moved = (paused_since or held_until) and 0 or math.min(batch, high_water - lag)
read_buckets(keys, run, run.resumable)
read_holds(keys, run.held, are_held and run.resumable or {}, tonumber(now))
resume(keys, run, any, math.ceil(most_moved / 2))
decide_on_oldest(most_moved)
resume(keys, run, any, most_moved)
local is_backlog = #run.parking >= backlog
if is_backlog then
  decide_behind_backlog(most_moved)
end
if any_parked then
  behind = find_free_slots(behind)
end

if run.has_rates then
  local full = redis.call('ZRANGE', rates, '-inf', string.format('%.0f', run.micros), 'BYSCORE', 'LIMIT', 0, 2 * batch + 100)
  if #full > 0 then
    redis.call('ZREMRANGEBYRANK', rates, 0, #full - 1)
  end
end
write_buckets(keys, run)
write_throttled(keys, run)
if not any_throttled and next(run.throttled) then
  redis.call('HSET', control, 'throttled', '1')
  any_throttled = true
end
-- A slot is held by a scheduled message: a parked one would keep it if this script stopped now.
if #run.resumed_dues > 0 then
  redis.call('ZADD', scheduled, unpack(run.resumed_dues))
end
if #run.taken_slots > 0 then
  redis.call('ZADD', active, unpack(run.taken_slots))
end
if #run.parking > 0 then
  redis.call('ZADD', parked, unpack(run.parking_members))
end
if #run.left_slots > 0 then
  redis.call('ZREM', active, unpack(run.left_slots))
end
if #run.ids > 0 then
  -- A value of more than 64 bytes, which the same command overwrites, makes a hash table of entries. In the compact encoding of
  -- a small hash, each later access to an id would walk through the ids of all messages that are ready or pending.
  local current = {run.ids[1], string.rep('-', 65)}
  for n, id in ipairs(run.ids) do
    current[2 * n + 1] = id
    current[2 * n + 2] = redis.call('XADD', ready, '*', 'id', id)
  end
  redis.call('HSET', entries, unpack(current))
end
if #run.unparked > 0 then
  redis.call('ZREM', parked, unpack(run.unparked))
end
if #run.ids > 0 then
  redis.call('ZREM', scheduled, unpack(run.ids))
end
if #run.parking > 0 then
  redis.call('ZREM', scheduled, unpack(run.parking))
end
-- A group with limit 1 gets none if the search for an older due message took too long: while so many are due, the message
-- would be parked again.
for name in pairs(run.to_unpark) do
  if run.search.first_of == false and slots_of(keys, run, name).limit == 1 then
    run.to_unpark[name] = nil
  end
end
unpark_each(keys, run.to_unpark, batch)
if #ended > 0 then
  redis.call('ZREMRANGEBYRANK', done, 0, #ended - 1)
end
remove_ended_holds(keys, latest_hold, tonumber(now))
local from = is_backlog and '(' .. now or '-inf'
local next_due = redis.call('ZRANGE', scheduled, from, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2]
local next_resumed = any_throttled and redis.call('ZRANGE', throttled, 0, 0, 'WITHSCORES')[2]
if next_resumed then
  next_due = math.min(tonumber(next_due or next_resumed), tonumber(next_resumed))
elseif any_throttled then
  redis.call('HDEL', control, 'throttled')
end
lag = lag + #run.ids
local delivered, received, refused = read_group(keys, consumer, length + #run.ids > 0 and most or 0)
if refused then
  return refused
end
local reply = {state, time[1] * 1000000 + time[2], #run.ids, math.max(0, lag - #received), held_until or tonumber(next_due or '-1'), #ended,
  #run.parking, behind, are_held and tonumber(latest_hold) or 0}
any.held = are_held and held_of(keys, received, tonumber(now))
append_records(reply, keys, any, delivered, received, enough)
return reply
