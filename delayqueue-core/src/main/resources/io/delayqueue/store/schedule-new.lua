#!lua
-- Schedules messages with generated ids, without group and expiry, in the usual case: (none) -> SCHEDULED. A message exists when
-- the script has written its record. The caller uses schedule.lua, which costs more, in all other cases.
-- ARGV[1] partitions (of the queue, 1 to 1,024)
-- ARGV[2] max-delay (ms)
-- ARGV[3 + 3n] id (text)
-- ARGV[4 + 3n] due (ms since 1970 in 16 digits, or '+' and ms from now in at most 14 digits)
-- ARGV[5 + 3n] envelope (bytes, the first 11 are the call token)
-- Returns {'created', now (us), new head (1 if a message may now be the first due one of the partition, else 0), first use (1 if
--   this run has written layout and partitions to control, else 0)} if it has created all messages as requested; else it has
--   written nothing:
--   {'known'}   an earlier run of this call may have stored some of the messages
--   {'unusual'} the call needs schedule.lua for another reason
-- Limits: at most 1,000 messages a call. Cost: O(log N) a message.
local messages, scheduled, done, control = unpack(KEYS)
local partitions, max_delay = ARGV[1], tonumber(ARGV[2])

-- include layout

local foreign, laid_out, stored_partitions, draining_since, closed =
  read_control(control, 'layout', 'partitions', 'draining', 'closed')
if foreign then
  return foreign
end

local time, args = redis.call('TIME'), ARGV
local now_micros = time[1] * 1000000 + time[2]
local now = (now_micros - now_micros % 1000) / 1000

-- Compares due times as text: all have 16 digits.
local n, first, last, ids, tokens, due_ids, records = 0, nil, '', {}, {}, {}, {}
for i = 3, #args, 3 do
  n = n + 1
  local id, due, envelope = args[i], args[i + 1], args[i + 2]
  if #due < 16 then
    due = string.format('%016.0f', now + due)
  end
  if not first or due < first then
    first = due
  end
  if due > last then
    last = due
  end
  ids[n] = id
  tokens[n] = '\0' .. string.sub(envelope, 1, 11)
  due_ids[2 * n - 1], due_ids[2 * n] = due, id
  records[2 * n - 1], records[2 * n] = id, '1' .. due .. envelope
end

-- If any data of a new id exists, only an earlier run of this call can have written it.
local token_ends, stored_records = redis.call('ZMSCORE', done, unpack(tokens)), redis.call('HMGET', messages, unpack(ids))
for i = 1, n do
  if token_ends[i] or stored_records[i] then
    return {'known'}
  end
end
local is_first_use = not (laid_out or stored_partitions)
if not is_first_use and (not laid_out or stored_partitions ~= partitions) or draining_since or closed
    or tonumber(last) > now + max_delay then
  return {'unusual'}
end
local sooner = redis.call('ZCOUNT', scheduled, '-inf', first)
if is_first_use then
  redis.call('HSET', control, 'layout', '1', 'partitions', partitions)
end
local added = redis.call('ZADD', scheduled, unpack(due_ids))
redis.call('HSET', messages, unpack(records))
-- If an id is already in scheduled, an earlier run stopped before it wrote the records, and could not report a new head.
return {'created', now_micros, (sooner == 0 or added < n) and 1 or 0, is_first_use and 1 or 0}
