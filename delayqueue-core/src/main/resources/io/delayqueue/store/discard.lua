#!lua flags=allow-oom
-- Removes dead letters: DEAD -> (none). A message ends when the script removes its record.
-- ARGV[1] call token (11 characters)
-- ARGV[2] window (ms for which Redis recognises a repeat of this call, or of a call that scheduled one of the messages)
-- ARGV[3] how (letter for the history: X if the dead letters are discarded, M if another queue has them now)
-- ARGV[4] where (text, the name of this process, for the history)
-- ARGV[5] died (ms: only messages that were dead-lettered at this time; empty for any time)
-- ARGV[5 + n] id (text)
-- Returns {'discarded', number of dead letters that this run, or an earlier run of the same call, has removed}
-- Limits: at most 100 ids a call; also removes from done up to 100 ids and tokens whose time has ended. Cost: O(log N) an id; reads
-- each record, for the token of its call.
local messages, scheduled, entries, failures, dead, done, expiries, grouped, groups, active, parked, control, throttled,
  history, ends = unpack(KEYS)
local token, window = ARGV[1], tonumber(ARGV[2])
local how, where, time_of_death = ARGV[3], ARGV[4], tonumber(ARGV[5])

-- include layout
-- include carrying
-- include types
-- include windows
-- include groups
-- include unpark
-- include slots
-- include remove_dead
-- include counts
-- include ends

local foreign, carrying, any_throttled, kept = read_control(control, 'carrying', 'throttled', 'history')
if foreign then
  return foreign
end

local keys = {active = active, entries = entries, grouped = grouped, groups = groups, parked = parked, scheduled = scheduled,
  messages = messages, expiries = expiries, failures = failures, dead = dead, throttled = throttled,
  history = history, ends = ends}
keys.any_throttled = any_throttled
require_types('hash', messages, 'hash', entries, 'zset', scheduled, 'zset', done, 'zset', expiries)
local recorded, failure_of = new_ends(kept, where, how), {}
if recorded then
  failure_of = redis.call('HMGET', failures, unpack(ARGV, 6))
else
  require_types('hash', failures)
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local memory = memory_of(done, token, now, window)
local end_of_window = string.format('%.0f', now + window)

local words = {'discarded'}
local counted = recall(memory, words)
local ids, tombstones, with_record = {}, {}, {}
for n = 6, #ARGV do
  local id = ARGV[n]
  local death = redis.call('ZSCORE', dead, id)
  if death and (not time_of_death or tonumber(death) == time_of_death) and not redis.call('HGET', entries, id) and not redis.call('ZSCORE', scheduled, id) then
    local record = redis.call('HGET', messages, id)
    local tombstone = record and '\0' .. string.sub(record, 18, 28)
    -- A script that stopped half-way has left an id without a record. An earlier run of this call that stopped before it removed a
    -- record has stored the record's token in done. In a repeat, a record whose token is not there is newer.
    if record and carrying then
      return refuse_carrying()
    elseif not record or not counted or redis.call('ZSCORE', done, tombstone) then
      ids[#ids + 1] = id
      if record then
        tombstones[#tombstones + 1] = token_ends(string.sub(tombstone, 2), now, end_of_window)
        tombstones[#tombstones + 1] = tombstone
        with_record[#ids] = failure_of[n - 5] or ''
      end
    end
  end
end
local removed = counted and counted[1] or #tombstones / 2
local group_of = #ids > 0 and groups_of(keys, ids) or {}
for n, id in ipairs(ids) do
  if with_record[n] then
    add_end(recorded, id, with_record[n])
  end
end
if not counted and removed > 0 then
  remember(memory, words, {removed}, tombstones)
end
if #ids > 0 then
  remove_dead(keys, ids, group_of)
  write_ends(keys, recorded, time)
end
return {'discarded', removed}
