#!lua flags=allow-oom
-- Finishes handled messages: PENDING -> (none). A message ends when the script removes its record.
-- ARGV[1] token window (ms for which a repeat of the call that scheduled a message is recognised)
-- ARGV[2] how (letter of the end in the history: A if the messages were handled, E if they have expired)
-- ARGV[3] where (text, the name of this process, for the history)
-- ARGV[4] took (text: for how long the handler of each message ran, ms, or - if this is unknown, separated by blanks; empty if the
--   queue keeps no history)
-- ARGV[5 + 4n] entry (stream entry id that was delivered)
-- ARGV[6 + 4n] id (text)
-- ARGV[7 + 4n] call token (11 characters, of the call that scheduled the message)
-- ARGV[8 + 4n] window (ms for which the finished id is kept; if the call token states a longer time, Redis keeps only the token
--   for that time)
-- Returns {'settled', number of parked messages that this run has scheduled again, then for each message: answer}
--   counted    finished by this run
--   gone       the message no longer exists, or an earlier settlement of this delivery counted
--   superseded the message has another delivery now: only that delivery can settle it
-- Limits: at most 1,000 messages a call. Cost: O(log N) a message. Never reads a record.
local messages, scheduled, ready, entries, failures, done, expiries, grouped, groups, active, parked, control, throttled,
  history, ends = unpack(KEYS)
local how, where = ARGV[2], ARGV[3]

-- include layout
-- include types
-- include windows

local foreign, any_throttled, kept = read_control(control, 'throttled', 'history')
if foreign then
  return foreign
end

-- From so many entries on, one XTRIM costs less than XDEL, which walks through a node of the stream to find an entry.
local many = 10

-- The oldest pending entries, up to the first one that this call does not settle; none if the call settles few.
local function oldest_pending(settled)
  local oldest, from = {}, '-'
  for _ = 1, #settled >= many and #settled or 0 do
    -- One at first: behind a long handler, no other is needed.
    local page = math.min(#oldest > 0 and 20 or 1, #settled - #oldest)
    local leases = redis.pcall('XPENDING', ready, 'consumers', from, '+', page)
    if leases.err then
      return {}, not string.find(leases.err, 'NOGROUP', 1, true) and leases or nil
    end
    for _, lease in ipairs(leases) do
      if not settled.has[lease[1]] then
        return oldest
      end
      oldest[#oldest + 1] = lease[1]
    end
    if #leases < page or #oldest == #settled then
      return oldest
    end
    from = '(' .. oldest[#oldest]
  end
  return oldest
end

-- Removes entries from the stream. Every entry before the last one of the oldest is delivered and settled, by this call or earlier:
-- the undelivered ones come after all pending ones. The ids of entries that are not pending prove nothing, because a consumer group that
-- was lost and created anew delivers all entries again.
local function remove_entries(settled, oldest)
  local rest = settled
  if #oldest > 1 then
    redis.call('XTRIM', ready, 'MINID', '=', oldest[#oldest])
    for n = 1, #oldest - 1 do
      settled.has[oldest[n]] = nil
    end
    rest = {}
    for entry in pairs(settled.has) do
      rest[#rest + 1] = entry
    end
  end
  redis.call('XDEL', ready, unpack(rest))
end

local args, ids, has = ARGV, {}, {}
local delivered = {has = has}
for n = 1, (#args - 4) / 4 do
  local entry = args[4 * n + 1]
  delivered[n], ids[n], has[entry] = entry, args[4 * n + 2], true
end
local current = redis.call('HMGET', entries, unpack(ids))
local failure_of, group_of, any_expiries, leave_groups = {}, {}, false, nil
if redis.call('EXISTS', failures, expiries, grouped) > 0 then
-- include groups
-- include unpark

  local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
    throttled = throttled}
  keys.any_throttled = any_throttled

  -- Removes ids from groups, parked and active, in one write for each key, and gives their slots to parked messages; returns how
  -- many of these are scheduled again.
  leave_groups = function(ids, group_of)
    local members, slots, freed = {}, {}, {}
    for n, id in ipairs(ids) do
      members[3 * n - 2], members[3 * n - 1] = member_of(id, group_of[n]), dead_member_of(id, group_of[n])
      members[3 * n] = finding_member_of(id)
      slots[n] = group_of[n].name .. '\0' .. id
    end
    local any_parked = redis.call('ZCARD', keys.parked) > 0
    for n, had_slot in ipairs(any_parked and redis.call('ZMSCORE', keys.active, unpack(slots)) or {}) do
      local name = group_of[n].name
      freed[name] = had_slot and (freed[name] or 0) + 1 or freed[name]
    end
    redis.call('ZREM', keys.groups, unpack(members))
    if any_parked then
      redis.call('ZREM', keys.parked, unpack(members))
    end
    redis.call('ZREM', keys.active, unpack(slots))
    return unpark_each(keys, freed)
  end

  failure_of = redis.call('HLEN', failures) > 0 and redis.call('HMGET', failures, unpack(ids)) or {}
  group_of = groups_of(keys, ids)
  any_expiries = redis.call('ZCARD', expiries) > 0
end
require_types('zset', done, 'stream', ready)
local oldest, refused = oldest_pending(delivered)
if refused then
  return refused
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- The end of a window; most messages have the same window.
local ends_of = {}
local function end_of(window)
  if not ends_of[window] then
    ends_of[window] = string.format('%.0f', now + window)
  end
  return ends_of[window]
end

local recorded, record, write_recorded
local took_of = {}
if kept then
-- include ends

  recorded, record, write_recorded = new_ends(kept, where, how), add_end, write_ends
  for took in string.gmatch(ARGV[4], '%S+') do
    took_of[#took_of + 1] = took
  end
end
local recognised_until = end_of(ARGV[1])
local reply, finished, own, counted, members, left = {'settled', 0}, {}, {}, {}, {}, {}
for n, id in ipairs(ids) do
  local exists = redis.call('HEXISTS', messages, id) == 1
  if current[n] == delivered[n] then
    own[#own + 1] = id
    if group_of[n] then
      members[#members + 1] = id
      left[#left + 1] = group_of[n]
    end
    if failure_of[n] then
      counted[#counted + 1] = id
    end
    if exists then
      local m, token, window = #finished, args[4 * n + 3], args[4 * n + 4]
      finished[m + 1], finished[m + 2] = end_of(window), id
      finished[m + 3], finished[m + 4] = token_ends(token, now, recognised_until), '\0' .. token
      if recorded then
        record(recorded, id, failure_of[n], how == 'A' and 1, tonumber(took_of[n]) and took_of[n])
      end
    end
    reply[n + 2] = exists and 'counted' or 'gone'
  else
    local settled_here = failure_of[n] and string.match(failure_of[n], '^%d+|%d+|%d+|([^|]*)|') == delivered[n]
    reply[n + 2] = (exists and not settled_here) and 'superseded' or 'gone'
  end
end
if #finished > 0 then
  redis.call('ZADD', done, unpack(finished))
end
if #own > 0 then
  redis.call('HDEL', messages, unpack(own))
  if recorded then
    write_recorded({history = history, ends = ends}, recorded, time)
  end
  if #counted > 0 then
    redis.call('HDEL', failures, unpack(counted))
  end
  if any_expiries then
    redis.call('ZREM', expiries, unpack(own))
  end
  if #members > 0 then
    reply[2] = leave_groups(members, left)
    redis.call('HDEL', grouped, unpack(members))
  end
  redis.call('HDEL', entries, unpack(own))
end
remove_entries(delivered, oldest)
redis.call('XACK', ready, 'consumers', unpack(delivered))
return reply
