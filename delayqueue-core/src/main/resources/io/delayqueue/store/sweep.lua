#!lua flags=allow-oom
-- Moves due messages to the stream, oldest due time first: SCHEDULED -> READY. Due messages of a group at its limit are parked:
-- SCHEDULED -> PARKED, until it has a free slot: PARKED -> SCHEDULED. Removes finished ids whose window has ended.
-- KEYS[1] scheduled (zset)
-- KEYS[2] ready (stream)
-- KEYS[3] entries (hash)
-- KEYS[4] done (zset)
-- KEYS[5] grouped (hash)
-- KEYS[6] groups (zset)
-- KEYS[7] active (zset)
-- KEYS[8] parked (zset)
-- KEYS[9] control (hash)
-- ARGV[1] batch size (messages, 1 to 1,000)
-- ARGV[2] high-water mark (undelivered messages in the stream)
-- ARGV[3] forget (finished ids, 1 to 5,000)
-- ARGV[4] backlog (messages: after parking as many, only the most recently due ones are checked besides)
-- ARGV[5] behind (text: the group behind which to search for parked messages that were not unparked)
-- ARGV[6] limit (messages of a group that are ready or pending, 0 for none)
-- ARGV[7 + 2n] group (text, a group with another limit)
-- ARGV[8 + 2n] its limit (messages, 0 for none)
-- Returns {moved, lag (ready and not delivered), next due (ms, -1 if none; at the backlog of a group the next one that is not
--   due yet), now (us), paused (1 or 0), removed finished ids, parked by this run, behind (for the next run)}
-- Cost: O((batch size + backlog) x log N + 3,000). Never reads a record. Keys without changes are not written.
local scheduled, ready, entries, done, grouped = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local groups, active, parked, control = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local batch, high_water, forget = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local backlog, behind, limit = tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])

-- include layout
-- include groups
-- include bytes

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))

local lag = redis.call('XLEN', ready)
if lag > 0 then
  local pending = redis.pcall('XPENDING', ready, 'consumers')
  if not pending.err then
    lag = lag - pending[1]
  elseif not string.find(pending.err, 'NOGROUP', 1, true) then
    return pending
  end
end
redis.call('HLEN', entries)
redis.call('ZCARD', scheduled)
local ended = redis.call('ZRANGE', done, '-inf', now, 'BYSCORE', 'LIMIT', 0, forget)
local any_parked = redis.call('ZCARD', parked) > 0

local limits, rooms, overtaken = {}, {}, {}
for i = 7, #ARGV, 2 do
  limits[ARGV[i]] = tonumber(ARGV[i + 1])
end

-- How many more messages of a group may be ready or pending.
local function room_of(name)
  if not rooms[name] then
    local most = limits[name] or limit
    local range, to = '[' .. name .. '\0', '(' .. name .. '\1'
    rooms[name] = {most = most, free = most == 0 and batch or most - redis.call('ZLEXCOUNT', active, range, to)}
  end
  return rooms[name]
end

-- The first due message of each group among the scheduled ones; false if too many are due.
local first_of
local function look_at_due()
  local due = redis.call('ZRANGE', scheduled, '-inf', now, 'BYSCORE', 'LIMIT', 0, 2001)
  first_of = #due <= 2000 and {}
  for n, group in pairs(first_of and groups_of(due) or {}) do
    if group then
      local first = first_of[group.name]
      if not first or group.due < first.due or group.due == first.due and follows(first.id, due[n]) then
        first_of[group.name] = {id = due[n], due = group.due}
      end
    end
  end
end

-- How many more members of groups may be read.
local looks = 1000

-- The first due message of a group before a member, else that member; false if the search takes too long: many dead letters or
-- messages for later may come before.
local function first_due(name, member, id)
  local from, to = '[' .. name .. '\0', '(' .. member
  for _ = 1, 11 do
    local most = math.max(1, math.min(looks, 100))
    local older = redis.call('ZRANGE', groups, from, to, 'BYLEX', 'LIMIT', 0, most)
    local older_ids = {}
    looks = looks - #older
    for n, one in ipairs(older) do
      older_ids[n] = string.sub(one, #name + 19)
    end
    for n, place in ipairs(#older > 0 and redis.call('ZMSCORE', scheduled, unpack(older_ids)) or {}) do
      if place and tonumber(place) <= tonumber(now) then
        return older_ids[n]
      end
    end
    if #older < most then
      return id
    end
    if looks <= 0 then
      break
    end
    from = '(' .. older[most]
  end
  if first_of == nil then
    look_at_due()
  end
  return first_of and first_of[name].id
end

-- Whether an older message of its group is parked and was not unparked; or, in a group with limit 1, may be due.
local function is_overtaking(name, member, room, id)
  if any_parked and #redis.call('ZRANGE', parked, '[' .. name .. '\0', '(' .. member, 'BYLEX', 'LIMIT', 0, 1) > 0 then
    overtaken[name] = math.min(room.free, 50)
    return true
  end
  if room.most ~= 1 then
    return false
  end
  if room.first == nil then
    room.first = first_due(name, member, id)
  end
  return room.first ~= id
end

local ids, holding, left = {}, {}, {}
local parking, aside = {}, {}

-- Decides whether an id is moved to the stream or parked; an id that is checked out of order stays scheduled instead of being
-- parked.
local function judge(id, group, is_early)
  if not group then
    ids[#ids + 1] = id
    return
  end
  local member = group.name .. '\0' .. group.due .. '\0' .. id
  if redis.call('ZSCORE', active, group.name .. '\0' .. id) then
    ids[#ids + 1] = id
    if any_parked then
      left[#left + 1] = member
    end
    return
  end
  local room = room_of(group.name)
  if room.free > 0 and not is_overtaking(group.name, member, room, id) then
    room.free = room.free - 1
    ids[#ids + 1] = id
    holding[#holding + 1] = 0
    holding[#holding + 1] = group.name .. '\0' .. id
    if any_parked then
      left[#left + 1] = member
    end
    return
  end
  if not is_early then
    parking[#parking + 1] = id
    aside[#aside + 1] = 0
    aside[#aside + 1] = member
  end
end

local room = paused_since and 0 or math.min(batch, high_water - lag)
local offset = 0
for _ = 1, batch + backlog do
  local most = math.min(room - #ids, 2 * backlog)
  if most <= 0 or #parking >= backlog then
    break
  end
  local page = redis.call('ZRANGE', scheduled, '-inf', now, 'BYSCORE', 'LIMIT', offset, most)
  if #page > 0 then
    offset = offset + #page
    local group_of = groups_of(page)
    for n, id in ipairs(page) do
      judge(id, group_of[n])
      if #parking >= backlog then
        break
      end
    end
  end
  if #page < most then
    break
  end
end

-- Other groups do not wait until a whole backlog is parked: the most recently due messages are checked too, until too many of
-- them
-- stay scheduled.
local is_backlog = #parking >= backlog
if is_backlog then
  local looked, moved, seen = 0, #ids, {}
  for _, of in ipairs({ids, parking}) do
    for _, id in ipairs(of) do
      seen[id] = true
    end
  end
  for _ = 1, 2 * backlog do
    local stayed = looked - (#ids - moved)
    local most = math.min(room - #ids, 2 * backlog - stayed)
    local page = most > 0 and redis.call('ZRANGE', scheduled, now, '-inf', 'BYSCORE', 'REV', 'LIMIT', looked, most) or {}
    if #page == 0 then
      break
    end
    looked = looked + #page
    local group_of = groups_of(page)
    for n = #page, 1, -1 do
      if not seen[page[n]] then
        judge(page[n], group_of[n], true)
      end
    end
  end
end

if any_parked then
  local from = behind == '' and '-' or '(' .. behind .. '\1'
  behind = ''
  for _ = 1, 20 do
    local first = redis.call('ZRANGE', parked, from, '+', 'BYLEX', 'LIMIT', 0, 1)[1]
    if not first then
      behind = ''
      break
    end
    behind = string.match(first, '^(%Z*)')
    from = '(' .. behind .. '\1'
    if room_of(behind).free > 0 and not paused_since then
      overtaken[behind] = math.min(room_of(behind).free, 50)
    end
  end
end

if #holding > 0 then
  redis.call('ZADD', active, unpack(holding))
end
if #parking > 0 then
  redis.call('ZADD', parked, unpack(aside))
end
if #ids > 0 then
  local current = {}
  for n, id in ipairs(ids) do
    current[2 * n - 1] = id
    current[2 * n] = redis.call('XADD', ready, '*', 'id', id)
  end
  redis.call('HSET', entries, unpack(current))
  if #left > 0 then
    redis.call('ZREM', parked, unpack(left))
  end
  redis.call('ZREM', scheduled, unpack(ids))
end
if #parking > 0 then
  redis.call('ZREM', scheduled, unpack(parking))
end
-- As many as a batch in all: each of these groups gets some now, and the next sweeps find the rest. A group with limit 1 gets
-- none
-- if the search for an older due message took too long: while so many are due, the message would be parked again.
local sharing = 0
for name in pairs(overtaken) do
  if first_of == false and room_of(name).most == 1 then
    overtaken[name] = nil
  else
    sharing = sharing + 1
  end
end
for name, places in pairs(overtaken) do
  unpark(name, math.min(places, math.max(1, math.floor(batch / sharing))))
end
if #ended > 0 then
  redis.call('ZREMRANGEBYRANK', done, 0, #ended - 1)
end
local from = is_backlog and '(' .. now or '-inf'
local next_due = redis.call('ZRANGE', scheduled, from, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2]
return {#ids, lag + #ids, tonumber(next_due or '-1'), time[1] * 1000000 + time[2], paused_since and 1 or 0, #ended, #parking, behind}
