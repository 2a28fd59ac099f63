#!lua flags=no-writes
-- Lists the holds of a partition that have not ended; the hold of the whole partition is first.
-- ARGV[1] cursor (text, 0 to begin)
-- ARGV[2] count (about how many holds to check, 1 to 1,000)
-- Returns {'listed', now (us), cursor (for the next run, 0 if no more follow), then for each hold: group (text, empty for the whole
--   partition), hold (16 digits of its end, then its origin and reason)}
-- Limits: a hold may be listed by several runs. Cost: O(count).
local holds = unpack(KEYS)
local cursor, count = ARGV[1], tonumber(ARGV[2])

-- include holds

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local page = redis.call('HSCAN', holds, cursor, 'COUNT', count)
local reply, whole = {'listed', time[1] * 1000000 + time[2], page[1]}, cursor == '0' and redis.call('HGET', holds, '')
if whole and end_of_hold(whole, now) then
  reply[4], reply[5] = '', whole
end
for n = 1, #page[2], 2 do
  if end_of_hold(page[2][n + 1], now) then
    reply[#reply + 1] = page[2][n]
    reply[#reply + 1] = page[2][n + 1]
  end
end
return reply
