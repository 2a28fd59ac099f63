#!lua
-- Schedules messages, and replaces messages with the same ids on request: (none), SCHEDULED, PARKED, READY, PENDING, DEAD ->
-- SCHEDULED. A message exists when the script has written its record.
-- ARGV[1] partitions (of the queue, 1 to 1,024)
-- ARGV[2] max-delay (ms)
-- ARGV[3] quota (messages of one group, 0 for none)
-- ARGV[4] when full (what to do if a group has used up its quota: reject, or drop-oldest)
-- ARGV[5] window (ms for which Redis recognises a repeat of this call, or of a call whose message this call replaces or drops)
-- ARGV[6] newer epochs (text: the epochs after that of this partition, the current epoch last; empty if the caller has read none)
-- ARGV[7] where (text, the name of the calling process, for the history)
-- ARGV[8 + 6n] id (text)
-- ARGV[9 + 6n] due (ms since 1970 in 16 digits, or '+' and ms from now)
-- ARGV[10 + 6n] group (text, empty for none)
-- ARGV[11 + 6n] expiry (ms since 1970, or '+' and ms from the due time, empty for none)
-- ARGV[12 + 6n] on duplicate (new: the id is generated for this call; keep, fail, replace; or the latest time to which a message
--   may be postponed, in ms from now or ms since 1970 in 16 digits)
-- ARGV[13 + 6n] envelope (bytes: the call token in the first 11; '{"latest":"' and 16 digits follow if the message may be
--   postponed)
-- Returns {'created', now (us), new head (1 or 0), 0} if all messages are created as requested; else {'decided', now (us), new head (1
--   or 0), first use (1 if this run has written layout and partitions to control, else 0), draining since (ms, 0 if not), number of parked
--   messages that this run has scheduled again, then for each message: answer, due (ms); then for each dropped message: number (from
--   0) of the message that has taken its slot, its id; then for each replaced message that a consumer holds: -1, its stream entry}
--   created       stored, by this run or by an earlier run of the same call
--   replaced      this run, or an earlier run of the same call, stored it in place of the message with the same id
--   postponed     like replaced, with a later due time, but not later than the first message of the series of calls permits
--   superseded    an earlier run of the same call created it; another message has replaced it since
--   ended         an earlier run of the same call created it; it was handled, cancelled or discarded since
--   duplicate     a message with this id exists; with the policy fail the answer is its state instead: scheduled, parked, ready or
--     pending; with the policy keep and a call token that names its window, the answer is pending while a consumer holds the message
--   done          a message with this id has finished, and Redis still keeps the id
--   dead          a dead letter has this id
--   too-far       its due time is later than max-delay from now
--   expires       its expiry is before its due time
--   full          its group has used up its quota
--   draining      the partition accepts nothing new
--   elsewhere     the partition is closed and has no message of its group, or, without a group, of its id: a newer epoch stores it
--   The due time is 0 if the message is not accepted, and -1 if an earlier run computed it and the message is gone.
-- Limits: 1,000 messages; removes ids and tokens whose time has ended, up to 100 more than it adds. Cost: O(log N); reads records
-- of known and dropped ids.
local messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked, control, throttled,
  history, ends = unpack(KEYS)
local partitions, max_delay, quota = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local drops_oldest, window, newer = ARGV[4] == 'drop-oldest', tonumber(ARGV[5]), ARGV[6]

-- include layout
-- include close
-- include types
-- include new_messages

local foreign, laid_out, stored_partitions, draining_since, closed, carrying, any_throttled, kept =
  read_control(control, 'layout', 'partitions', 'draining', 'closed', 'carrying', 'throttled', 'history')
if foreign then
  return foreign
end
if stored_partitions and stored_partitions ~= partitions and not closed then
  return redis.error_reply('PARTITIONS ' .. stored_partitions .. ' are stored, ' .. partitions .. ' are known')
end
if close(control, closed, newer) then
  closed, laid_out, stored_partitions = newer, '2', partitions
end
local time = redis.call('TIME')
local micros, now = time[1] * 1000000 + time[2], time[1] * 1000 + math.floor(time[2] / 1000)

local ids, tokens, any_group, any_expiry, all_new = {}, {}, false, false, true
for i = 8, #ARGV, 6 do
  local n = #ids + 1
  ids[n], tokens[n] = ARGV[i], '\0' .. string.sub(ARGV[i + 5], 1, 11)
  any_group = any_group or ARGV[i + 2] ~= ''
  any_expiry = any_expiry or ARGV[i + 3] ~= ''
  all_new = all_new and ARGV[i + 4] == 'new'
end
-- Reads the data that Redis has of the ids. Only an earlier run of this call can have left data of new ids.
local function read_ids()
  return redis.call('HMGET', entries, unpack(ids)), redis.call('HMGET', failures, unpack(ids)),
    redis.call('ZMSCORE', dead, unpack(ids)), redis.call('ZMSCORE', done, unpack(ids))
end
local entry_of, failure_of, death_of, window_of
local left_of = {}
local token_window_of = redis.call('ZMSCORE', done, unpack(tokens))
if all_new then
  require_types('hash', entries, 'hash', failures, 'zset', dead, 'stream', ready)
else
  require_types('stream', ready)
  entry_of, failure_of, death_of, window_of = read_ids()
end
if any_group then
  require_types('zset', groups, 'zset', active, 'zset', parked)
  left_of = redis.call('HMGET', grouped, unpack(ids))
  -- A sweep that ran after a stopped run knew no group of the ids: such an entry would exceed the limit of the group.
  entry_of = entry_of or redis.call('HMGET', entries, unpack(ids))
end
if any_expiry then
  require_types('zset', expiries)
end

-- The plain case: all ids are unknown, and no group has used up its quota. If an earlier run has left any data, even only a member
-- of scheduled, the code below handles the call.
local is_new_head
do
  -- Only an earlier run of this call can have stored a record of a new id, so the records are no larger than the arguments.
  local record_of = all_new and redis.call('HMGET', messages, unpack(ids))
  local batch, count_of, seen, first, first_score = new_batch(), {}, {}, math.huge, nil
  local is_plain = laid_out and stored_partitions and not draining_since and not closed
  for n, id in ipairs(is_plain and ids or {}) do
    local at = 6 * n + 2
    local score, name, due = ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 1])
    if string.byte(score) == 43 then
      due = now + due
      score = string.format('%016.0f', due)
    end
    local is_other = token_window_of[n] or left_of[n] or due > now + max_delay
    if record_of then
      is_other = is_other or record_of[n] or entry_of and entry_of[n]
    else
      is_other = is_other or entry_of[n] or failure_of[n] or death_of[n] or window_of[n] or seen[id] or tonumber(ARGV[at + 4])
        or redis.call('HEXISTS', messages, id) == 1
      seen[id] = true
    end
    local expiry, expires_later = expiry_of(ARGV[at + 3], due)
    is_plain = not is_other and expires_later
    if is_plain and name ~= '' and quota > 0 then
      count_of[name] = 1 + (count_of[name] or redis.call('ZLEXCOUNT', groups, '[' .. name .. '\0', '(' .. name .. '\1'))
      is_plain = count_of[name] <= quota
    end
    if not is_plain then
      break
    end
    if due < first then
      first, first_score = due, score
    end
    add_message(batch, id, score, name, expiry, '1' .. score .. ARGV[at + 5])
  end
  if is_plain then
    is_new_head = redis.call('ZCOUNT', scheduled, '-inf', first_score) == 0
    if redis.call('ZADD', scheduled, unpack(batch.scheduled)) == #ids then
      write_messages(batch, expiries, grouped, groups, messages)
      return {'created', micros, is_new_head and 1 or 0, 0}
    end
  end
end

-- The code from here on handles all cases that are not plain.

-- include groups
-- include unpark
-- include slots
-- include move
-- include lease
-- include ends
-- include windows
-- include quota
-- include remains
-- include replace
-- include carrying
-- include held
-- include decide
-- include write_decided

if all_new then
  entry_of, failure_of, death_of, window_of = read_ids()
end
local keys = {messages = messages, scheduled = scheduled, ready = ready, entries = entries, failures = failures, dead = dead,
  done = done, expiries = expiries, grouped = grouped, groups = groups, active = active, parked = parked, control = control,
  throttled = throttled, history = history, ends = ends}
keys.any_throttled = any_throttled
-- The state of the call: messages; by id, the messages that it writes or drops (taken), the messages that an earlier run has
-- written (taken_before), and the members in groups that stopped scripts have left (remains); by group, the use of its quota
-- (groups); other things to write (dropped, resumed, known, control).
local call = {now = now, ends = string.format('%.0f', now + window), max_delay = max_delay, is_draining = draining_since, is_closed = closed,
  is_carrying = carrying, quota = quota, drops_oldest = drops_oldest, messages = {}, taken = {}, taken_before = {}, remains = {},
  groups = {}, dropped = {}, resumed = {}, known = {}, unparked = 0, recorded = new_ends(kept, ARGV[7], 'D'),
  control = not (laid_out and stored_partitions) and {'layout', laid_out or '1', 'partitions', partitions}}
for n, id in ipairs(ids) do
  local at = 6 * n + 2
  local spec, policy, envelope, left = ARGV[at + 1], ARGV[at + 4], ARGV[at + 5], left_of[n]
  local asked_due, due = tonumber(spec), tonumber(spec)
  if string.byte(spec) == 43 then
    -- The due time that an earlier run computed from a delay is unknown.
    asked_due, due = -1, now + due
  end
  call.messages[n] = {n = n, id = id, name = ARGV[at + 2], expiry_spec = ARGV[at + 3], policy = policy,
    limit = tonumber(policy), envelope = envelope, token = string.sub(envelope, 1, 11), due = due, asked_due = asked_due,
    entry = entry_of[n], failure = failure_of[n], death = death_of[n], window = window_of[n], left = left,
    was_accepted = token_window_of[n]}
  if left and redis.call('HEXISTS', messages, id) == 0 then
    call.remains[id] = string.sub(left, 18) .. '\0' .. string.sub(left, 1, 16) .. '\0' .. id
  end
end

local reply = {'decided', micros, 0, 0, tonumber(draining_since or '0') or 0, 0}
for _, message in ipairs(call.messages) do
  local answer, due = decide(keys, call, message)
  if not due then
    return answer
  end
  reply[#reply + 1], reply[#reply + 2] = answer, due
  if answer == 'duplicate' and message.policy == 'keep' and is_lasting(message.token) then
    call.known[#call.known + 1] = message
  end
end
local is_first_use, is_first_due = write_decided(keys, call, is_new_head)
write_ends(keys, call.recorded, time)
reply[3], reply[4], reply[6] = is_first_due and 1 or 0, is_first_use and 1 or 0, call.unparked
for _, oldest in ipairs(call.dropped) do
  reply[#reply + 1] = oldest.dropped_for - 1
  reply[#reply + 1] = oldest.id
end
for _, message in ipairs(call.messages) do
  if message.is_planned and message.is_pending then
    reply[#reply + 1] = -1
    reply[#reply + 1] = message.entry
  end
end
return reply
