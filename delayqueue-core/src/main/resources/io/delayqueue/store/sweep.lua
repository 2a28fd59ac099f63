#!lua flags=allow-oom
-- Moves due messages to the stream, oldest due time first: SCHEDULED -> READY. Due messages of a group at its limit are parked:
-- SCHEDULED -> PARKED, until it has a free slot: PARKED -> SCHEDULED. Removes finished ids whose window has ended. Then delivers
-- ready messages to a consumer, if it asks for some: READY -> PENDING.
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
-- ARGV[1] consumer (text)
-- ARGV[2] most (messages to deliver, 0 to 1,000)
-- ARGV[3] enough (bytes of records after which the remaining ones are left for a run of read)
-- ARGV[4] batch size (messages, 1 to 1,000)
-- ARGV[5] high-water mark (undelivered messages in the stream)
-- ARGV[6] forget (finished ids, 1 to 5,000)
-- ARGV[7] backlog (messages: after parking as many, only the most recently due ones are checked besides)
-- ARGV[8] behind (text: the group behind which to search for parked messages that were not unparked)
-- ARGV[9] limit (messages of a group that are ready or pending, 0 for none)
-- ARGV[10 + 2n] group (text, a group with another limit)
-- ARGV[11 + 2n] its limit (messages, 0 for none)
-- Returns {swept or paused, now (us), moved, lag (ready and not delivered, after the delivery), next due (ms, -1 if none; at
--   the backlog of a group the next one that is not due yet), removed finished ids, parked by this run, behind (for the next
--   run), the messages (append_records)}
-- Cost: O((batch size + backlog) x log N + 3,000 + bytes of records). Keys without changes are not written.
local scheduled, ready, entries, done, grouped = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local groups, active, parked, control = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local messages, failures, expiries = KEYS[10], KEYS[11], KEYS[12]
local keys = {scheduled = scheduled, ready = ready, entries = entries, grouped = grouped, groups = groups, active = active,
  parked = parked, messages = messages, failures = failures, expiries = expiries}
local consumer, most_delivered, enough = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local batch, high_water, forget = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local backlog, behind, limit = tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])

-- include layout
-- include types
-- include read
-- include groups
-- include unpark
-- include bytes
-- include first_due

local foreign, _, _, paused_since = read_control(control)
if foreign then
  return foreign
end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))

local lag = redis.call('XLEN', ready)
local pending = lag > 0 and redis.pcall('XPENDING', ready, 'consumers') or {}
if pending.err and not string.find(pending.err, 'NOGROUP', 1, true) then
  return pending
end
lag = lag - (pending[1] or 0)
require_types('zset', scheduled)
local any = prepare_read(keys)
local ended = redis.call('ZRANGE', done, '-inf', now, 'BYSCORE', 'LIMIT', 0, forget)
local any_parked = redis.call('ZCARD', parked) > 0

local limits = {}
for i = 10, #ARGV, 2 do
  limits[ARGV[i]] = tonumber(ARGV[i + 1])
end

-- Ids that go to the stream, with new members of active and with those that leave parked; ids to park, with their members.
local ids, taken_slots, unparked = {}, {}, {}
local parking, parking_members = {}, {}
-- By group: its limit and its free slots; how many parked messages to schedule again.
local slots, to_unpark = {}, {}
local search = {left = 1000}

-- How many more messages of a group may be ready or pending.
local function slots_of(name)
  if not slots[name] then
    local most = limits[name] or limit
    local from, to = '[' .. name .. '\0', '(' .. name .. '\1'
    slots[name] = {limit = most, free = most == 0 and batch or most - redis.call('ZLEXCOUNT', keys.active, from, to)}
  end
  return slots[name]
end

-- Whether an older message of its group is parked and was not unparked; or, in a group with limit 1, may be due.
local function is_overtaking(name, member, of_group, id)
  if any_parked and #redis.call('ZRANGE', keys.parked, '[' .. name .. '\0', '(' .. member, 'BYLEX', 'LIMIT', 0, 1) > 0 then
    to_unpark[name] = math.min(of_group.free, 50)
    return true
  end
  if of_group.limit == 1 and of_group.first == nil then
    of_group.first = find_first_due(keys, search, now, name, member, id)
  end
  return of_group.limit == 1 and of_group.first ~= id
end

-- Decides whether an id is moved to the stream or parked; an id that is checked out of order stays scheduled instead of being
-- parked.
local function decide(id, group, is_early)
  if not group then
    ids[#ids + 1] = id
    return
  end
  local member, slot = group.name .. '\0' .. group.due .. '\0' .. id, group.name .. '\0' .. id
  if not redis.call('ZSCORE', keys.active, slot) then
    local of_group = slots_of(group.name)
    if of_group.free <= 0 or is_overtaking(group.name, member, of_group, id) then
      if not is_early then
        parking[#parking + 1] = id
        parking_members[#parking_members + 1] = 0
        parking_members[#parking_members + 1] = member
      end
      return
    end
    of_group.free = of_group.free - 1
    taken_slots[#taken_slots + 1] = 0
    taken_slots[#taken_slots + 1] = slot
  end
  ids[#ids + 1] = id
  if any_parked then
    unparked[#unparked + 1] = member
  end
end

-- Decides on due messages, oldest first, until the batch is full or a whole backlog is parked.
local function decide_on_oldest(most_moved)
  local offset = 0
  for _ = 1, batch + backlog do
    local most = math.min(most_moved - #ids, 2 * backlog)
    if most <= 0 or #parking >= backlog then
      return
    end
    local page = redis.call('ZRANGE', keys.scheduled, '-inf', now, 'BYSCORE', 'LIMIT', offset, most)
    if #page > 0 then
      offset = offset + #page
      local group_of = groups_of(keys, page)
      for n, id in ipairs(page) do
        decide(id, group_of[n])
        if #parking >= backlog then
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
  local read, moved, seen = 0, #ids, {}
  for n = 1, math.max(#ids, #parking) do
    seen[ids[n] or ''], seen[parking[n] or ''] = true, true
  end
  for _ = 1, 2 * backlog do
    local stayed = read - (#ids - moved)
    local most = math.min(most_moved - #ids, 2 * backlog - stayed)
    local page = most > 0 and redis.call('ZRANGE', keys.scheduled, now, '-inf', 'BYSCORE', 'REV', 'LIMIT', read, most) or {}
    if #page == 0 then
      return
    end
    read = read + #page
    local group_of = groups_of(keys, page)
    for n = #page, 1, -1 do
      if not seen[page[n]] then
        decide(page[n], group_of[n], true)
      end
    end
  end
end

-- Checks a few groups for free slots that a stopped script has not given to parked messages; returns the last of them, empty
-- if no more follow.
local function find_free_slots(from_group)
  local from, name = from_group == '' and '-' or '(' .. from_group .. '\1', ''
  for _ = 1, 20 do
    local first = redis.call('ZRANGE', keys.parked, from, '+', 'BYLEX', 'LIMIT', 0, 1)[1]
    if not first then
      return ''
    end
    name = string.match(first, '^(%Z*)')
    from = '(' .. name .. '\1'
    local free = slots_of(name).free
    if free > 0 and not paused_since then
      to_unpark[name] = math.min(free, 50)
    end
  end
  return name
end

local most_moved = paused_since and 0 or math.min(batch, high_water - lag)
decide_on_oldest(most_moved)
local is_backlog = #parking >= backlog
if is_backlog then
  decide_behind_backlog(most_moved)
end
if any_parked then
  behind = find_free_slots(behind)
end

if #taken_slots > 0 then
  redis.call('ZADD', active, unpack(taken_slots))
end
if #parking > 0 then
  redis.call('ZADD', parked, unpack(parking_members))
end
if #ids > 0 then
  local current = {}
  for n, id in ipairs(ids) do
    current[2 * n - 1] = id
    current[2 * n] = redis.call('XADD', ready, '*', 'id', id)
  end
  redis.call('HSET', entries, unpack(current))
  if #unparked > 0 then
    redis.call('ZREM', parked, unpack(unparked))
  end
  redis.call('ZREM', scheduled, unpack(ids))
end
if #parking > 0 then
  redis.call('ZREM', scheduled, unpack(parking))
end
-- A group with limit 1 gets none if the search for an older due message took too long: while so many are due, the message
-- would be parked again.
for name in pairs(to_unpark) do
  if search.first_of == false and slots_of(name).limit == 1 then
    to_unpark[name] = nil
  end
end
unpark_each(keys, to_unpark, batch)
if #ended > 0 then
  redis.call('ZREMRANGEBYRANK', done, 0, #ended - 1)
end
local from = is_backlog and '(' .. now or '-inf'
local next_due = redis.call('ZRANGE', scheduled, from, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2]
lag = lag + #ids
local delivered, received, refused = read_group(keys, consumer, not paused_since and (lag > 0 or #ids > 0) and most_delivered or 0)
if refused then
  return refused
end
local reply = {paused_since and 'paused' or 'swept', time[1] * 1000000 + time[2], #ids, lag - #received,
  tonumber(next_due or '-1'), #ended, #parking, behind}
append_records(reply, keys, any, delivered, received, enough)
return reply
