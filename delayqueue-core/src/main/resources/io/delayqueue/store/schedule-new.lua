#!lua
-- Schedules messages with generated ids, without group and expiry, in the usual case: (none) -> SCHEDULED. A message exists when
-- the script has written its record. The caller uses schedule.lua, which costs more, in all other cases.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] done (zset)
-- KEYS[4] control (hash)
-- ARGV[1] partitions (of the queue, 1 to 1,024)
-- ARGV[2] max-delay (ms)
-- ARGV[3 + 3n] id (text)
-- ARGV[4 + 3n] due (ms since 1970 in 16 digits, or '+' and ms from now)
-- ARGV[5 + 3n] envelope (bytes, the first 11 are the call token)
-- Returns {'created', now (us), new head (1 if a message may now be the first due one of the partition, else 0)} if it has created
--   all messages as requested; else it has written nothing:
--   {'known'}   an earlier run of this call may have stored some of the messages
--   {'unusual'} the call needs schedule.lua for another reason
-- Limits: at most 1,000 messages a call. Cost: O(log N) a message.
local messages, scheduled, done, control = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local partitions, max_delay = ARGV[1], tonumber(ARGV[2])

-- include layout

local foreign, laid_out, stored_partitions, draining_since, closed =
  read_control(control, 'layout', 'partitions', 'draining', 'closed')
if foreign then
  return foreign
end

local time = redis.call('TIME')
local seconds, micros = tonumber(time[1]), tonumber(time[2])
local now = seconds * 1000 + math.floor(micros / 1000)

local ids, tokens, due_ids, records = {}, {}, {}, {}
local first, first_score, last, n = math.huge, nil, 0, 0
for i = 3, #ARGV, 3 do
  n = n + 1
  local id, score, envelope = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local due = tonumber(score)
  if string.byte(score) == 43 then
    due = now + due
    score = string.format('%016.0f', due)
  end
  if due < first then
    first, first_score = due, score
  end
  if due > last then
    last = due
  end
  ids[n] = id
  tokens[n] = '\0' .. string.sub(envelope, 1, 11)
  due_ids[2 * n - 1], due_ids[2 * n] = score, id
  records[2 * n - 1], records[2 * n] = id, '1' .. score .. envelope
end

-- Whether any data of the new ids exists, which only an earlier run of this call can have written.
local function is_known(found)
  for n = 1, #ids do
    if found[n] then
      return true
    end
  end
  return false
end

if is_known(redis.call('ZMSCORE', done, unpack(tokens))) or is_known(redis.call('HMGET', messages, unpack(ids))) then
  return {'known'}
end
if not laid_out or stored_partitions ~= partitions or draining_since or closed or last > now + max_delay then
  return {'unusual'}
end
local sooner = redis.call('ZCOUNT', scheduled, '-inf', first_score)
local added = redis.call('ZADD', scheduled, unpack(due_ids))
redis.call('HSET', messages, unpack(records))
-- If an id is already in scheduled, an earlier run stopped before it wrote the records, and could not report a new head.
return {'created', seconds * 1000000 + micros, (sooner == 0 or added < #ids) and 1 or 0}
