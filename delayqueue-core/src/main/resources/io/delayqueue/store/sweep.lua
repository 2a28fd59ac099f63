#!lua flags=allow-oom
-- Moves due messages to the stream, oldest due time first: SCHEDULED -> READY. Parks due messages of a group that is at its limit
-- or held: SCHEDULED -> PARKED. Moves parked messages when their group has a free slot (PARKED -> SCHEDULED), or when a hold ends or
-- their group has a token (PARKED -> READY). Removes finished ids and holds whose time has ended. Then delivers ready messages to a
-- consumer, if it requests some: READY -> PENDING. Moves and delivers nothing while the partition is paused or held.
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
-- ARGV[12] valid until (us, end of the grant for the messages; 0 without a grant)
-- ARGV[13] held (pending entries that the consumer knows: nothing is delivered while it has more and the stream is not empty; -1 to
--   skip this check)
-- ARGV[14 + 4n] group (text, a group with its own limits)
-- ARGV[15 + 4n] limit of this group (messages, 0 for none)
-- ARGV[16 + 4n] interval of this group (us, 0 for none)
-- ARGV[17 + 4n] burst of this group (tokens)
-- Returns {swept, paused, held, limited (there is no grant, and the queue has limits) or unknown-pending (the consumer has more pending
--   entries than it knows), now (us), moved, lag (ready and not delivered, after the delivery), next due (ms, -1 if none; after parking a
--   backlog the next one that is not due yet; while the partition is held the end of the hold), removed finished ids, parked by this run,
--   behind (for the next run), latest end of all holds (ms, 0 if there is none), the messages (append_records)}
-- Limits: a message of a group with a rate takes a token when it is moved. If groups have rates, the caller therefore sets batch size
-- and high-water mark to the number of messages to deliver.
-- Cost: O((batch size + backlog) x log N + 2,000 + bytes of records, as append_records reads them). The script writes only keys that change.
local scheduled, ready, entries, done, grouped, groups, active, parked, control, messages, failures, expiries, rates, throttled,
  holds = unpack(KEYS)
local keys = {messages = messages, ready = ready, entries = entries, failures = failures, expiries = expiries}
local consumer, most_delivered, enough = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local batch, high_water, forget, behind = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[8]

-- include layout
-- include types
-- include read
-- include holds
-- include add_entries

local foreign, paused_since, any_throttled, limited_since, latest_hold =
  read_control(control, 'paused', 'throttled', 'limited', 'holds')
if foreign then
  return foreign
end

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = string.format('%.0f', math.floor(micros / 1000))

local are_held = any_held(latest_hold, tonumber(now))
local held_until = are_held and end_of_hold(redis.call('HGET', holds, ''), tonumber(now))
if are_held then
  require_types('hash', grouped, 'zset', throttled)
end
local length = redis.call('XLEN', ready)
local pending = length > 0 and redis.pcall('XPENDING', ready, 'consumers') or {}
if pending.err and not string.find(pending.err, 'NOGROUP', 1, true) then
  return pending
end
local most, state = deliverable(most_delivered, 'swept', paused_since, held_until, limited_since, tonumber(ARGV[12]), micros)
if most > 0 and any_unknown(pending, consumer, tonumber(ARGV[13])) then
  most, state = 0, 'unknown-pending'
end
if state == 'limited' or most < most_delivered then
  high_water = 0
end
-- Entries that a settlement has removed but could not acknowledge are pending, but not in the stream.
local lag = math.max(0, length - (pending[1] or 0))
require_types('zset', scheduled)
local any = prepare_read(keys)
local ended = redis.call('ZRANGE', done, '-inf', now, 'BYSCORE', 'LIMIT', '0', forget)

local most_moved = (paused_since or held_until) and 0 or math.min(batch, high_water - lag)
local ids, parking, is_backlog, held_of_ids = {}, {}, false, nil
-- Without groups, rates and holds, all due messages go to the stream. Redis makes the functions of the other case, at a high cost,
-- only where a partition needs them.
if redis.call('EXISTS', grouped, parked) == 0 and not latest_hold and not any_throttled and ARGV[10] == '0' and #ARGV == 13 then
  if most_moved > 0 then
    ids = redis.call('ZRANGE', scheduled, '-inf', now, 'BYSCORE', 'LIMIT', '0', most_moved)
  end
  if #ids > 0 then
    add_entries(keys, ids)
    redis.call('ZREM', scheduled, unpack(ids))
  end
else
-- include groups
-- include unpark
-- include held_groups
-- include rates
-- include bytes
-- include first_due
-- include choose
-- include resume
-- include ended_holds
-- include decide_due
-- include free_slots
-- include write_sweep

  local keys = {scheduled = scheduled, ready = ready, entries = entries, grouped = grouped, groups = groups, active = active,
    parked = parked, expiries = expiries, rates = rates, throttled = throttled, control = control, holds = holds}
  -- The state of this run: settings and state of the partition (any is the result of prepare_read); limits and rates by group; ids
  -- that go to the stream, with new members of active, the due times of those that were parked, and members that leave parked; ids to
  -- park, with their members, and the slots that throttled ones leave; by group: slots, how many parked messages to schedule again,
  -- buckets of tokens, end of a hold, whether it is throttled or no longer.
  local run = {now = now, micros = micros, batch = batch, backlog = tonumber(ARGV[7]),
    any = any, any_parked = redis.call('ZCARD', parked) > 0, any_throttled = any_throttled, are_held = are_held,
    is_paused_or_held = paused_since or held_until, limit = tonumber(ARGV[9]), limits = {},
    rate = {tonumber(ARGV[10]), tonumber(ARGV[11])}, rates = {}, has_rates = ARGV[10] ~= '0',
    ids = {}, is_chosen = {}, taken_slots = {}, resumed_dues = {}, unparked = {}, parking = {}, parking_members = {}, left_slots = {},
    slots = {}, to_unpark = {}, search = {left = 1000}, buckets = {}, held = {}, throttled = {}, resumed = {}, next_resumable = 1,
    resumable = any_throttled and redis.call('ZRANGE', throttled, '-inf', now, 'BYSCORE', 'LIMIT', 0, math.max(batch, 100)) or {}}
  for i = 14, #ARGV, 4 do
    run.limits[ARGV[i]] = tonumber(ARGV[i + 1])
    run.rates[ARGV[i]] = {tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])}
    run.has_rates = run.has_rates or ARGV[i + 2] ~= '0'
  end

  read_buckets(keys, run, run.resumable)
  read_held(keys, run, run.resumable)
  resume(keys, run, math.ceil(most_moved / 2))
  decide_on_oldest(keys, run, most_moved)
  resume(keys, run, most_moved)
  is_backlog = #run.parking >= run.backlog
  if is_backlog then
    decide_behind_backlog(keys, run, most_moved)
  end
  if run.any_parked then
    behind = find_free_slots(keys, run, behind)
  end

  write_sweep(keys, run)
  remove_ended_holds(keys, latest_hold, tonumber(now))
  ids, parking, any_throttled, held_of_ids = run.ids, run.parking, run.any_throttled, held_of
end
if #ended > 0 then
  redis.call('ZREMRANGEBYRANK', done, '0', #ended - 1)
end
local from = is_backlog and '(' .. now or '-inf'
local next_due = redis.call('ZRANGE', scheduled, from, '+inf', 'BYSCORE', 'LIMIT', '0', '1', 'WITHSCORES')[2]
local next_resumed = any_throttled and redis.call('ZRANGE', throttled, '0', '0', 'WITHSCORES')[2]
if next_resumed then
  next_due = math.min(tonumber(next_due or next_resumed), tonumber(next_resumed))
elseif any_throttled then
  redis.call('HDEL', control, 'throttled')
end
lag = lag + #ids
local delivered, received, refused = read_group(keys, consumer, length + #ids > 0 and most or 0)
if refused then
  return refused
end
local reply = {state, micros, #ids, math.max(0, lag - #received), held_until or tonumber(next_due or '-1'), #ended,
  #parking, behind, are_held and tonumber(latest_hold) or 0}
any.held = are_held and held_of_ids({grouped = grouped, holds = holds}, received, tonumber(now))
append_records(reply, keys, any, delivered, received, enough)
return reply
