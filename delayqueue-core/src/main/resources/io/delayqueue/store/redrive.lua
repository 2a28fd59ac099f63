#!lua flags=allow-oom
-- Schedules dead letters again, with their failures reset: DEAD -> SCHEDULED.
-- ARGV[1] call token (11 characters)
-- ARGV[2] window (ms for which Redis recognises a repeat of this call)
-- ARGV[3] quota (messages of one group, 0 for none)
-- ARGV[4] died (ms: only messages that were dead-lettered at this time; empty for any time)
-- ARGV[5] content (bytes that replace what the record has behind its call token, of a call with a single id; empty to keep it)
-- ARGV[6 + 2n] id (text)
-- ARGV[7 + 2n] wait (ms from now until the message is due)
-- Returns {'redriven', now (us), first due (ms, -1 if nothing was moved; the current time in a repeat), number of messages that
--   this run, or an earlier run of the same call, has redriven, then each id that stays a dead letter because its group has used up
--   its quota}
-- Limits: at most 1,000 ids a call; removes up to 100 ids and tokens whose time has ended. Cost: O(log N) an id. Reads a record only
-- to replace its content.
local messages, scheduled, entries, failures, dead, done, expiries, grouped, groups, control = unpack(KEYS)
local token, window, quota = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local time_of_death, content = tonumber(ARGV[4]), ARGV[5]

-- include layout
-- include carrying
-- include types
-- include counts

local foreign, carrying = read_control(control, 'carrying')
if foreign then
  return foreign
end

local ids = {}
for i = 6, #ARGV, 2 do
  ids[#ids + 1] = ARGV[i]
end
local death_of = redis.call('ZMSCORE', dead, unpack(ids))
local entry_of = redis.call('HMGET', entries, unpack(ids))
local score_of = redis.call('ZMSCORE', scheduled, unpack(ids))
local about = redis.call('HMGET', grouped, unpack(ids))
require_types('hash', messages, 'hash', failures, 'zset', expiries, 'zset', groups, 'zset', done)
local record = content ~= '' and redis.call('HGET', messages, ids[1])
local edited = record and string.sub(record, 1, 28) .. content
for n = 1, #ids do
  if time_of_death and death_of[n] and tonumber(death_of[n]) ~= time_of_death then
    death_of[n] = false
  elseif content ~= '' and record ~= edited and (not record or entry_of[n] or score_of[n]) then
    -- A script that stopped half-way has already moved it, with its old content
    death_of[n] = false
  end
end
for n = 1, carrying and #ids or 0 do
  if death_of[n] then
    return refuse_carrying()
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local memory = memory_of(done, token, now, window)

local words = {'redriven'}
local counted = recall(memory, words)
local redriven, refused, due_ids, gone, first = 0, {}, {}, {}, counted and now or -1
local members, left_members, count_of = {}, {}, {}

-- Whether a message has a slot in the quota of its group, gets one, or was already moved by an earlier run. Adds the slot if
-- needed.
local function has_slot(id, of_group, moved)
  local name = string.sub(of_group, 18)
  local member = name .. '\0' .. string.sub(of_group, 1, 16) .. '\0' .. id
  if redis.call('ZSCORE', groups, member) then
    return true
  end
  count_of[name] = count_of[name] or redis.call('ZLEXCOUNT', groups, '[' .. name .. '\0', '(' .. name .. '\1')
  if quota > 0 and count_of[name] >= quota and not moved then
    return false
  end
  count_of[name] = count_of[name] + 1
  members[#members + 1] = 0
  members[#members + 1] = member
  return true
end

for n, id in ipairs(ids) do
  local exists = redis.call('HEXISTS', messages, id) == 1
  if death_of[n] then
    -- If the message has another state as well, a script that stopped half-way has already moved it
    local moved = entry_of[n] or score_of[n]
    if counted then
      -- If the message has no other state, it was dead-lettered again after the earlier run, and stays.
      if moved or not exists then
        gone[#gone + 1] = id
      end
    elseif exists and about[n] and not has_slot(id, about[n], moved) then
      refused[#refused + 1] = id
    else
      gone[#gone + 1] = id
      if about[n] then
        left_members[#left_members + 1] = string.sub(about[n], 18) .. '\2\0' .. id
      end
      redriven = redriven + (exists and 1 or 0)
      if exists and not moved then
        local due = now + ARGV[2 * n + 5]
        due_ids[#due_ids + 1] = string.format('%.0f', due)
        due_ids[#due_ids + 1] = id
        first = (first < 0 or due < first) and due or first
      end
    end
  end
end
if redriven > 0 and edited and not counted then
  -- Until it is scheduled, the message is a dead letter with its new content: a repeat of a stopped run completes it.
  redis.call('HSET', messages, ids[1], edited)
end
if #due_ids > 0 then
  redis.call('ZADD', scheduled, unpack(due_ids))
end
if #members > 0 then
  redis.call('ZADD', groups, unpack(members))
end
if #gone > 0 and not counted then
  redis.call('HDEL', failures, unpack(gone))
  redis.call('ZREM', expiries, unpack(gone))
end
if #left_members > 0 then
  redis.call('ZREM', groups, unpack(left_members))
end
if redriven > 0 then
  -- Stores the count before it removes the messages from dead: if the run stops before, a repeat finds the same messages in dead.
  remember(memory, words, {redriven}, {})
end
if #gone > 0 then
  redis.call('ZREM', dead, unpack(gone))
end
return {'redriven', time[1] * 1000000 + time[2], first, counted and counted[1] or redriven, unpack(refused)}
