#!lua flags=no-writes
-- Counts the messages of a partition of an older epoch, and finds whether the partition may end: processes then stop reading it.
-- Returns {answer, messages, dead letters}
--   ended the partition is closed, has no messages and no recurring schedules, and keeps no ids of finished messages
--   remembers all conditions of ended are true, but the history of the partition is not empty
--   received all conditions of ended are true, but the partition keeps ids of dead letters that were moved to it from an older
--     epoch
--   lasts the partition is closed, and has messages or recurring schedules, or keeps ids of finished messages, or keeps both a
--     history and ids of moved dead letters
--   open  the partition is not closed
-- Cost: O(1), or up to 1,000 members of done.
local messages, scheduled, entries, dead, done, groups, parked, control, history, recurring = unpack(KEYS)

-- include layout

local foreign, closed, kept, is_marked = read_control(control, 'closed', 'history', 'recurring')
if foreign then
  return foreign
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Returns the answer for a closed partition without messages and recurring schedules, from up to the given number of members of
-- done.
local function answer_by_windows(most)
  local last, answer = redis.call('ZRANGE', done, 0, most - 1, 'REV', 'WITHSCORES'), 'ended'
  for n = 1, #last, 2 do
    if tonumber(last[n + 1]) <= now then
      return answer
    end
    if string.sub(last[n], 1, 8) ~= 'carried\0' then
      return 'lasts'
    end
    answer = 'received'
  end
  return #last < 2 * most and answer or 'lasts'
end

local count = redis.call('HLEN', messages)
-- A script that stopped half-way may have left data of messages without a record; the repair removes this data.
local rest = redis.call('ZCARD', scheduled) + redis.call('HLEN', entries) + redis.call('ZCARD', dead) + redis.call('ZCARD', groups)
  + redis.call('ZCARD', parked)
if is_marked then
  rest = rest + redis.call('HLEN', recurring)
end
local answer = not closed and 'open' or count + rest > 0 and 'lasts' or answer_by_windows(1000)
if kept and answer ~= 'open' and answer ~= 'lasts' and redis.call('XLEN', history) > 0 then
  answer = answer == 'ended' and 'remembers' or 'lasts'
end
return {answer, count, redis.call('ZCARD', dead)}
