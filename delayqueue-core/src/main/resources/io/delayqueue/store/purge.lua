#!lua flags=allow-oom
-- Removes messages, dead letters only on request: SCHEDULED, PARKED, READY, PENDING, DEAD -> (none). Removing the record is the
-- commit. The next occurrence of a recurring schedule stays, because nothing would store it again.
-- ARGV[1] call token (11 characters)
-- ARGV[2] window (ms for which Redis recognises a repeat of this call, or of a call that scheduled one of the messages)
-- ARGV[3] dead letters (1 to remove dead letters too, 0 to keep them)
-- ARGV[4] size (about how many bytes of records this run reads, before it leaves the remaining ids for another call)
-- ARGV[5] how (letter for the history: P for a purge, C if a group is cancelled)
-- ARGV[6] where (text, the name of this process, for the history)
-- ARGV[6 + n] id (text)
-- Returns {'purged', number of ids that were processed, beginning with the first one, numbers of the removed messages: of those
--   that waited, of those that a consumer holds, of dead letters; then the stream entries of the messages that this run has removed
--   while a consumer holds them}; if an earlier run of the same call has removed messages, the numbers are those of that run
-- Limits: at most 100 ids a call; also removes from done up to 100 ids and tokens whose time has ended. Cost: O(log N) an id; reads
-- each record, for the token of its call, and the definitions of occurrences that are not yet due.
local messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked, control, throttled,
  history, ends, recurring = unpack(KEYS)
local token, window, dead_too, size = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1', tonumber(ARGV[4])
local how, where = ARGV[5], ARGV[6]

-- include layout
-- include carrying
-- include types
-- include windows
-- include groups
-- include unpark
-- include slots
-- include lease
-- include counts
-- include ends
-- include definition

local foreign, carrying, any_throttled, kept, any_recurring = read_control(control, 'carrying', 'throttled', 'history', 'recurring')
if foreign then
  return foreign
end

local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
  throttled = throttled, history = history, ends = ends}
keys.any_throttled = any_throttled
local recorded = new_ends(kept, where, how)
local failure_of = {}
require_types('hash', messages, 'hash', entries, 'zset', scheduled, 'zset', dead, 'zset', done, 'stream', ready, 'hash', recurring)
if recorded then
  failure_of = redis.call('HMGET', failures, unpack(ARGV, 7))
else
  require_types('hash', failures)
end
local any_expiries = redis.call('ZCARD', expiries) > 0
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local memory = memory_of(done, token, now, window)
local end_of_window = string.format('%.0f', now + window)

-- Whether a message is the next occurrence of a recurring schedule.
local function is_next_occurrence(id, record)
  local key = any_recurring and tonumber(string.sub(record, 2, 17)) > now and string.match(id, '^([^@]+)@')
  local definition = key and read_definition(redis.call('HGET', recurring, key))
  return definition and not is_stopped(definition) and occurrence_id(key, definition, ahead_of(definition)) == id
end

local words = {'looked', 'waited', 'held', 'died'}
local counted = recall(memory, words)
local processed, bytes, waited, held, died = 0, 0, 0, 0, 0
local gone, tombstones, current, undelivered, members, marked = {}, {}, {}, {}, {}, {}
local held_entries = {}
local group_of = groups_of(keys, {unpack(ARGV, 7)})
for n = 7, #ARGV do
  if bytes >= size then
    break
  end
  processed = processed + 1
  local id, group = ARGV[n], group_of[n - 6]
  local entry = redis.call('HGET', entries, id)
  local is_dead = redis.call('ZSCORE', dead, id) and not entry and not redis.call('ZSCORE', scheduled, id)
  -- A script that stopped half-way has left an id without a record
  local goes = dead_too or not is_dead or redis.call('HEXISTS', messages, id) == 0
  local record = goes and redis.call('HGET', messages, id)
  local tombstone = record and '\0' .. string.sub(record, 18, 28)
  goes = goes and not (record and is_next_occurrence(id, record))
  -- An earlier run of this call that stopped before it removed a record has stored the record's token in done. In a repeat, a
  -- record whose token is not there is newer.
  if goes and not (counted and record and not redis.call('ZSCORE', done, tombstone)) then
    local lease, refused
    if record and is_dead and carrying then
      return refuse_carrying()
    elseif entry then
      lease, refused = read_lease(ready, entry)
      if refused then
        return refused
      end
    end
    if record then
      bytes = bytes + #record
      tombstones[#tombstones + 1] = token_ends(string.sub(tombstone, 2), now, end_of_window)
      tombstones[#tombstones + 1] = tombstone
      add_end(recorded, id, failure_of[n - 6], lease and 1)
      if lease then
        held = held + 1
        held_entries[#held_entries + 1] = entry
      elseif is_dead then
        died = died + 1
      else
        waited = waited + 1
      end
    end
    gone[#gone + 1] = id
    if group then
      members[#members + 1] = n
    end
    if group or (any_expiries and redis.call('ZSCORE', expiries, id)) then
      marked[#marked + 1] = id
    end
    if entry then
      current[#current + 1] = id
      if not (record and lease) then
        undelivered[#undelivered + 1] = entry
      end
    end
  end
end
if #tombstones > 0 and not counted then
  remember(memory, words, {processed, waited, held, died}, tombstones)
end
if #gone > 0 then
  -- If this run stops, the next schedule call of one of these ids finds the failures, and removes the rest of the data.
  for _, id in ipairs(marked) do
    redis.call('HSETNX', failures, id, '0|0|0||')
  end
  redis.call('HDEL', messages, unpack(gone))
  write_ends(keys, recorded, time)
  redis.call('ZREM', scheduled, unpack(gone))
  redis.call('ZREM', dead, unpack(gone))
  redis.call('ZREM', expiries, unpack(gone))
  -- Removes all messages from their groups before it frees any slot, so that no removed message gets a free slot.
  for _, n in ipairs(members) do
    remove_member(keys, ARGV[n], group_of[n - 6])
  end
  for _, n in ipairs(members) do
    free_slot(keys, ARGV[n], group_of[n - 6])
    redis.call('HDEL', grouped, ARGV[n])
  end
  redis.call('HDEL', failures, unpack(gone))
end
if #current > 0 then
  redis.call('HDEL', entries, unpack(current))
end
if #undelivered > 0 then
  redis.call('XDEL', ready, unpack(undelivered))
  redis.call('XACK', ready, 'consumers', unpack(undelivered))
end
local reply = {'purged', unpack(counted or {processed, waited, held, died})}
for _, entry in ipairs(held_entries) do
  reply[#reply + 1] = entry
end
return reply
