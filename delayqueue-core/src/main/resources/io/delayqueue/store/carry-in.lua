#!lua flags=allow-oom
-- Stores dead letters that a process moves from an older epoch: (none) -> DEAD. A message exists when the script has written its record.
-- ARGV[1] slots (how many slots in the quota of its group a dead letter may find taken and still keep its own; 0 if dead letters have
--   none)
-- ARGV[2] newer epochs (text: the epochs after that of this partition, the current epoch last; empty if the caller has read none)
-- ARGV[3] window (ms for which this partition does not store one of these dead letters again)
-- ARGV[4] time of reading (ms, when the caller read the dead letters, by the clock of the older partition)
-- ARGV[5 + 5n] id (text)
-- ARGV[6 + 5n] time of death (ms)
-- ARGV[7 + 5n] record (bytes)
-- ARGV[8 + 5n] failures (text)
-- ARGV[9 + 5n] due NUL group (text, empty without a group)
-- Returns {'carried', then for each dead letter: answer}
--   here      this run or an earlier run has stored it, even if it was removed since
--   stays     another message here has the id of this dead letter
--   elsewhere the partition is closed and has no message of the group (without a group: no message with the id) of the dead
--     letter, or its own dead letters move: this dead letter belongs to a newer epoch
--   late      the caller read the dead letter more than half a window ago, or before the end of this partition, and must read it
--     again, because this partition may no longer remember that it has stored the dead letter
-- Limits: 100 dead letters. Cost: O(log N) each; reads the records of ids that are stored here.
local messages, failures, dead, done, grouped, groups, control = unpack(KEYS)
local slots, newer, window = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])

-- include layout
-- include close
-- include held
-- include types

local foreign, closed, carrying, ended = read_control(control, 'closed', 'carrying', 'ended')
if foreign then
  return foreign
end
require_types('hash', messages, 'hash', failures, 'zset', dead, 'zset', done, 'hash', grouped, 'zset', groups)
if close(control, closed, newer) then
  closed = newer
end

local keys = {messages = messages, groups = groups}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local read_at = tonumber(ARGV[4])
local is_late = now > read_at + window / 2 or ended and read_at <= tonumber(ended)
local reply, letters = {'carried'}, {}
for i = 5, #ARGV, 5 do
  local about, token = ARGV[i + 4], string.sub(ARGV[i + 2], 18, 28)
  local letter = {at = i, id = ARGV[i], name = string.sub(about, 18), about = about, trace = 'carried\0' .. token}
  local is_elsewhere = closed and (carrying or not is_held(keys, letter.id, letter.name))
  local stored, windows = redis.call('HGET', messages, letter.id), redis.call('ZMSCORE', done, '\0' .. token, letter.trace)
  if stored and string.sub(stored, 18, 28) == token or windows[1] or windows[2] then
    letter.answer = 'here'
  elseif is_late then
    letter.answer = 'late'
  elseif is_elsewhere then
    letter.answer = 'elsewhere'
  elseif stored then
    letter.answer = 'stays'
  end
  letters[#letters + 1] = letter
end

local ends, traces = string.format('%.0f', now + window), {}
for n, letter in ipairs(letters) do
  if not letter.answer then
    local i, id, about = letter.at, letter.id, letter.about
    redis.call('ZADD', dead, ARGV[i + 1], id)
    if ARGV[i + 3] ~= '' then
      redis.call('HSET', failures, id, ARGV[i + 3])
    end
    if about ~= '' then
      redis.call('HSET', grouped, id, about)
      redis.call('ZADD', groups, 0, letter.name .. '\2\0' .. id, 0, '\1' .. id)
      -- Other messages may have taken the slots before the dead letter arrived.
      if slots > 0 and redis.call('ZLEXCOUNT', groups, '[' .. letter.name .. '\0', '(' .. letter.name .. '\1') < slots then
        redis.call('ZADD', groups, 0, letter.name .. '\0' .. string.sub(about, 1, 16) .. '\0' .. id)
      end
    end
    redis.call('HSET', messages, id, ARGV[i + 2])
    letter.answer = 'here'
  end
  if letter.answer == 'here' then
    traces[#traces + 1] = ends
    traces[#traces + 1] = letter.trace
  end
  reply[n + 1] = letter.answer
end
if #traces > 0 then
  redis.call('ZADD', done, 'GT', unpack(traces))
end
return reply
