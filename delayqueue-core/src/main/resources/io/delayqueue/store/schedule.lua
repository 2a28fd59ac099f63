#!lua
-- Accepts messages, and replaces existing ones with the same ids on request: (none), SCHEDULED, PARKED, READY,
-- PENDING, DEAD -> SCHEDULED. The record is the commit.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] ready (stream)
-- KEYS[4] entries (hash)
-- KEYS[5] failures (hash)
-- KEYS[6] dead (zset)
-- KEYS[7] done (zset)
-- KEYS[8] expiries (zset)
-- KEYS[9] grouped (hash)
-- KEYS[10] groups (zset)
-- KEYS[11] active (zset)
-- KEYS[12] parked (zset)
-- KEYS[13] control (hash)
-- ARGV[1] partitions (of the queue, 1 to 1,024)
-- ARGV[2] max-delay (ms)
-- ARGV[3] quota (messages of one group, 0 for none)
-- ARGV[4] when full (reject, or drop-oldest)
-- ARGV[5] window (ms for which a repeat of a call is recognised whose message this call replaces or drops)
-- ARGV[6 + 6n] id (text)
-- ARGV[7 + 6n] due (ms since 1970 in 16 digits, or '+' and ms from now)
-- ARGV[8 + 6n] group (text, empty for none)
-- ARGV[9 + 6n] expiry (ms since 1970, or '+' and ms from the due time, empty for none)
-- ARGV[10 + 6n] on duplicate (new: the id is generated for this call; keep, fail, replace; or ms from now to which one may be
--   postponed)
-- ARGV[11 + 6n] envelope (bytes, the first 11 are the call token; for a postponed one '{"latest":"' and 16 digits follow)
-- Returns {now (us), new head (1 or 0)} if all are created as requested; else {now (us), new head (1 or 0), first use (1 or 0),
--   draining since (ms, 0 if it is not), parked messages that are scheduled again, then for each message: answer, due (ms);
--   then for each dropped message: the number of the message that has its slot (from 0), its id}
--   created       stored, by this run or by an earlier run of the same call
--   replaced      it replaced the waiting message with the same id, by this run or by an earlier run of the same call
--   postponed     as replaced; its due time is bounded relative to when the first of its series was accepted
--   superseded    an earlier run of the same call stored it; another message has replaced it since
--   ended         an earlier run of the same call stored it; it was handled, cancelled or discarded since
--   duplicate     the id is known and not finished; with the policy fail the answer is its state instead, if not dead: scheduled,
--   parked, ready or pending
--   done          the id is finished and its window has not ended
--   dead          the id is among the dead letters
--   too-far       due lies beyond max-delay
--   expires       its expiry lies before its due time
--   full          its group is full
--   another-group the id belongs to a message of another group
--   draining      the partition accepts nothing new
--   The due time is 0 if the message is not accepted, and -1 if an earlier run computed it from its own now.
-- Limits: 1,000 messages; removes up to 100 windows more than it adds. Cost: O(log N); reads records of known and dropped ids.
local messages, scheduled, ready, entries = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local failures, dead, done, expiries = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local grouped, groups, active, parked, control = KEYS[9], KEYS[10], KEYS[11], KEYS[12], KEYS[13]
local partitions, max_delay, quota = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local drops, window = ARGV[4] == 'drop-oldest', tonumber(ARGV[5])

-- include layout

if stored_partitions and stored_partitions ~= partitions then
  return redis.error_reply('PARTITIONS ' .. stored_partitions .. ' are stored, ' .. partitions .. ' are known')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local ids, tokens, any_group, any_expiry, all_new = {}, {}, false, false, true
for i = 6, #ARGV, 6 do
  local n = #ids + 1
  ids[n] = ARGV[i]
  tokens[n] = '\0' .. string.sub(ARGV[i + 5], 1, 11)
  any_group = any_group or ARGV[i + 2] ~= ''
  any_expiry = any_expiry or ARGV[i + 3] ~= ''
  all_new = all_new and ARGV[i + 4] == 'new'
end
local entry_of, failure_of, death_of, window_of
-- Reads the data of the ids; only an earlier run of this call can have left data of new ids.
local function look()
  entry_of = redis.call('HMGET', entries, unpack(ids))
  failure_of = redis.call('HMGET', failures, unpack(ids))
  death_of = redis.call('ZMSCORE', dead, unpack(ids))
  window_of = redis.call('ZMSCORE', done, unpack(ids))
end
redis.call('XLEN', ready)
local token_window_of = redis.call('ZMSCORE', done, unpack(tokens))
if all_new then
  redis.call('HLEN', entries)
  redis.call('HLEN', failures)
  redis.call('ZCARD', dead)
else
  look()
end

local left_of = {}
if any_group then
  redis.call('ZCARD', groups)
  redis.call('ZCARD', active)
  redis.call('ZCARD', parked)
  left_of = redis.call('HMGET', grouped, unpack(ids))
end
if any_expiry then
  redis.call('ZCARD', expiries)
end

local function expiry_of(spec, due)
  if spec == '' then
    return nil, true
  end
  -- The half marks an expiry that is relative to the due time.
  local expiry = (string.byte(spec) == 43) and due + spec + 0.5 or tonumber(spec)
  return expiry, expiry >= due
end

-- Writes new messages that are in scheduled already.
local function commit(expiring, memberships, members, records)
  if #expiring > 0 then
    redis.call('ZADD', expiries, unpack(expiring))
  end
  if #members > 0 then
    redis.call('HSET', grouped, unpack(memberships))
    redis.call('ZADD', groups, unpack(members))
  end
  redis.call('HSET', messages, unpack(records))
end

-- Whether no scheduled message is due before or at a time (ms, text): checked before this call adds its own.
local function none_until(due)
  return redis.call('ZCOUNT', scheduled, '-inf', due) == 0
end
-- Set by the usual case, if it ran the check.
local is_new_head

-- include plain
-- include groups

if all_new then
  look()
end

local reply = {time[1] * 1000000 + time[2], 0, 0, tonumber(draining_since or '0') or 0, 0}
local taken, rooms, dropped, resumed = {}, {}, {}, {}
-- Ids that an earlier run of this call has taken, and that are not available to it now.
local taken_before = {}
-- Members of groups that a script that stopped half-way has left of the messages of this call.
local coming = {}
for n, id in ipairs(ids) do
  if left_of[n] and redis.call('HEXISTS', messages, id) == 0 then
    coming[id] = string.sub(left_of[n], 18) .. '\0' .. string.sub(left_of[n], 1, 16) .. '\0' .. id
  end
end
local plans = {}

local function text(number)
  return string.format('%016.0f', number)
end

-- The stored group of an id; for messages without a group only read once the id is known.
local function group_of(id)
  return groups_of({id})[1] or nil
end

local function is_pending(entry)
  local lease = redis.pcall('XPENDING', ready, 'consumers', entry, entry, 1)
  if lease.err and not string.find(lease.err, 'NOGROUP', 1, true) then
    return nil, lease
  end
  return #lease > 0
end

-- include quota
-- include leftovers
-- include replace

-- Decides on message n: returns an answer and its due time, and stores the plan of the writes if there are any.
local function decide(n, due, asked_due)
  local at = 6 * n
  local id, name, policy, envelope = ARGV[at], ARGV[at + 2], ARGV[at + 4], ARGV[at + 5]
  if taken[id] then
    return 'duplicate', 0
  end
  local token = string.sub(envelope, 1, 11)
  local accepted_before = token_window_of[n]
  local plan = {n = n, id = id, name = name, token = token, answer = 'created'}
  local limit = tonumber(policy)
  local latest = limit and now + limit
  if redis.call('HEXISTS', messages, id) == 1 then
    local record = redis.call('HGET', messages, id)
    if string.sub(record, 18, 28) == token then
      taken[id] = true
      return first_answer(policy, token), resume(n, id, tonumber(string.sub(record, 2, 17)))
    end
    if accepted_before then
      taken_before[id] = true
      return 'superseded', asked_due
    end
    if taken_before[id] then
      return 'duplicate', 0
    end
    plan.entry, plan.place, plan.group = entry_of[n], redis.call('ZSCORE', scheduled, id), group_of(id)
    if (plan.group and plan.group.name or '') ~= name then
      return 'another-group', 0
    end
    local was_parked = plan.group and redis.call('ZSCORE', parked, name .. '\0' .. plan.group.due .. '\0' .. id)
    redis.call('ZCARD', expiries)
    plan.died = death_of[n] and not plan.entry and not plan.place and not was_parked
    if policy == 'keep' or policy == 'new' or (plan.died and policy ~= 'replace') then
      return plan.died and 'dead' or 'duplicate', 0
    end
    local refused
    if plan.entry then
      plan.pending, refused = is_pending(plan.entry)
      if refused then
        return refused
      end
    end
    if policy == 'fail' then
      return plan.entry and (plan.pending and 'pending' or 'ready') or was_parked and 'parked' or 'scheduled', 0
    end
    plan.was_token, plan.was_due = string.sub(record, 18, 28), tonumber(string.sub(record, 2, 17))
    plan.answer = limit and 'postponed' or 'replaced'
    if limit and not plan.pending then
      latest = tonumber(string.match(record, '^{"latest":"(%d+)"', 29) or latest)
      due = math.max(due, plan.was_due)
    end
  elseif accepted_before then
    taken_before[id] = true
    return 'ended', asked_due
  elseif taken_before[id] then
    return 'duplicate', 0
  elseif (policy == 'keep' or policy == 'fail') and window_of[n] and tonumber(window_of[n]) > now then
    return 'done', 0
  end
  if limit then
    due = math.min(due, latest)
    envelope = token .. '{"latest":"' .. text(latest) .. string.sub(envelope, 39)
  end
  if due > now + max_delay then
    return 'too-far', 0
  end
  local expires_later
  plan.expiry, expires_later = expiry_of(ARGV[at + 3], due)
  if not expires_later then
    return 'expires', 0
  end
  if draining_since then
    return 'draining', 0
  end
  local has_place = plan.group and redis.call('ZSCORE', groups, name .. '\0' .. plan.group.due .. '\0' .. id)
  taken[id] = true
  if not has_place and not make_room(name, n) then
    return 'full', 0
  end
  plan.due, plan.member = due, name .. '\0' .. text(due) .. '\0' .. id
  plan.record = '1' .. text(due) .. envelope
  plans[n] = plan
  if rooms[name] and not plan.was_token then
    table.insert(rooms[name].fresh, plan)
  end
  return plan.answer, due
end

for n = 1, #ids do
  local spec = ARGV[6 * n + 1]
  local due, asked_due = tonumber(spec), tonumber(spec)
  if string.byte(spec) == 43 then
    -- The now of an earlier run is unknown.
    due, asked_due = now + due, -1
  end
  local answer, accepted_due = decide(n, due, asked_due)
  if not accepted_due then
    return answer
  end
  reply[#reply + 1] = answer
  reply[#reply + 1] = accepted_due
end

local places, records, expiring, memberships, members, replacing = {}, {}, {}, {}, {}, {}
local first
-- Keys that only these cases write are accessed first too.
local touches_others = #dropped > 0
for n, id in ipairs(ids) do
  local plan = plans[n]
  if plan then
    first = math.min(first or plan.due, plan.due)
    if plan.was_token then
      replacing[#replacing + 1] = plan
      touches_others = true
    else
      places[#places + 1] = string.format('%.0f', plan.due)
      places[#places + 1] = id
      records[#records + 1] = id
      records[#records + 1] = plan.record
      if plan.expiry then
        expiring[#expiring + 1] = string.format('%.1f', plan.expiry)
        expiring[#expiring + 1] = id
      end
      if plan.name ~= '' then
        memberships[#memberships + 1] = id
        memberships[#memberships + 1] = text(plan.due) .. '\0' .. plan.name
        members[#members + 1] = 0
        members[#members + 1] = plan.member
      end
      plan.stale = entry_of[n] or failure_of[n] or death_of[n] or left_of[n]
      touches_others = touches_others or plan.stale
    end
  end
end

if touches_others then
  redis.call('ZCARD', expiries)
  redis.call('HLEN', grouped)
  redis.call('ZCARD', groups)
  redis.call('ZCARD', active)
  redis.call('ZCARD', parked)
end
if is_new_head == nil then
  is_new_head = none_until(text(first or 0))
end
local begin = 2 * #replacing + #dropped
local ended = begin > 0 and redis.call('ZRANGE', done, '-inf', text(now), 'BYSCORE', 'LIMIT', 0, begin + 100) or {}
if first and (not laid_out or not stored_partitions) then
  redis.call('HSET', control, 'layout', layout, 'partitions', partitions)
  reply[3] = 1
end
if #ended > 0 then
  -- A queue without consumers has no sweep that removes them.
  redis.call('ZREM', done, unpack(ended))
end
-- For messages that this call both brings and drops, before the other ones are stored: a repeat must not drop again.
for _, oldest in ipairs(dropped) do
  if oldest.n then
    redis.call('ZADD', done, string.format('%.0f', now + window), '\0' .. oldest.token)
  end
end
for n, id in ipairs(ids) do
  if plans[n] and plans[n].stale then
    clear(n, id)
  end
end
if #places > 0 then
  if redis.call('ZADD', scheduled, unpack(places)) < #places / 2 then
    -- An id was already in scheduled, so a run that stopped before its record may have left more.
    for n, id in ipairs(ids) do
      if plans[n] and not plans[n].was_token and not plans[n].stale then
        forget(plans[n], id)
      end
    end
  end
  commit(expiring, memberships, members, records)
end
for _, plan in ipairs(replacing) do
  replace(plan)
end
for _, stopped in ipairs(resumed) do
  if stopped.due then
    redis.call('ZADD', scheduled, string.format('%.0f', stopped.due), stopped.id)
  end
  if stopped.expiry then
    redis.call('ZADD', expiries, string.format('%.1f', stopped.expiry), stopped.id)
  end
end
for _, oldest in ipairs(dropped) do
  if not oldest.n then
    drop(oldest)
  end
  reply[#reply + 1] = oldest.by - 1
  reply[#reply + 1] = oldest.id
end
if first and is_new_head then
  reply[2] = 1
end
return reply
