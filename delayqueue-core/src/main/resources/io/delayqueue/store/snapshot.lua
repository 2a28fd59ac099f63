#!lua flags=no-writes
-- Counts the messages of a partition by state, all at one moment.
-- ARGV[1] sample (pending entries that the script reads to find the longest idle time, 1 to 1,000)
-- ARGV[1 + n] within (ms from now; none or several)
-- Returns {'counted', scheduled, overdue, ready, pending, dead, oldest overdue (ms), oldest pending idle (ms), next due (ms, -1 if
--   none), paused since (ms, 0 if not), consumers, now (us), oldest ready (ms since it was added to the stream), draining since
--   (ms, 0 if not), parked, last due (ms, -1 if none), closed (1 if new messages belong to a newer epoch, else 0), held until (ms,
--   0 if not), number of groups with a hold, when the first recurring schedule advances (ms, -1 if none does), then for each
--   within: number of scheduled messages that are not due yet, but will be within this time}
-- Cost: O(log N x (1 + n) + sample); while groups are held, also reads up to 100 definitions.
local scheduled, ready, dead, parked, control, holds, recurrences, recurring = unpack(KEYS)
local sample = tonumber(ARGV[1])

-- include consumer_group
-- include holds
-- include definition

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local head = tonumber(redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2] or '-1')
local overdue = redis.call('ZCOUNT', scheduled, '-inf', string.format('%.0f', now))
local group, refused = read_consumer_group(ready)
if refused then
  return refused
end
local delivered, pending = group and group['last-delivered-id'] or '0-0', group and group.pending or 0
local lag, idle = redis.call('XLEN', ready) - pending, 0
if pending > 0 then
  for _, lease in ipairs(redis.call('XPENDING', ready, 'consumers', '-', '+', sample)) do
    idle = math.max(idle, lease[3])
  end
end
local first = redis.call('XRANGE', ready, '(' .. delivered, '+', 'COUNT', 1)[1]
local waited = first and math.max(0, now - string.match(first[1], '^%d+')) or 0
local switches = redis.call('HMGET', control, 'paused', 'draining', 'closed', 'holds', 'recurring')
local held_until, held_groups = 0, 0
if any_held(switches[4], now) then
  local hold = redis.call('HGET', holds, '')
  held_until, held_groups = end_of_hold(hold, now) or 0, redis.call('HLEN', holds) - (hold and 1 or 0)
end
-- The first of the first 100 instants whose schedule does not wait for the end of a hold of its group.
local function first_unheld()
  for _, key in ipairs(redis.call('ZRANGE', recurrences, '(0', string.format('%.0f', now), 'BYSCORE', 'LIMIT', 0, 100)) do
    local definition = read_definition(redis.call('HGET', recurring, key))
    if definition and not end_of_hold(redis.call('HGET', holds, definition.group), now) then
      return redis.call('ZSCORE', recurrences, key)
    end
  end
end

-- A draining queue stores no occurrences of recurring schedules. While a queue is paused or held, its due schedules wait for the end of
-- this. The instant 0 means that the next instant is unknown.
local waits = switches[1] or held_until > 0 or held_groups > 0
local advances = switches[5] and not switches[2] and (held_groups > 0 and not switches[1] and held_until == 0 and first_unheld()
  or redis.call('ZRANGE', recurrences, waits and string.format('(%.0f', now) or '(0', '(+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2])
local reply = {'counted', redis.call('ZCARD', scheduled), overdue, math.max(lag, 0), pending, redis.call('ZCARD', dead),
  overdue > 0 and now - head or 0, idle, head, tonumber(switches[1] or '0'),
  group and group.consumers or 0, time[1] * 1000000 + time[2], waited, tonumber(switches[2] or '0'),
  redis.call('ZCARD', parked), tonumber(redis.call('ZRANGE', scheduled, -1, -1, 'WITHSCORES')[2] or '-1'),
  switches[3] and 1 or 0, held_until, held_groups, tonumber(advances or '-1')}
for i = 2, #ARGV do
  local within = string.format('%.0f', now + ARGV[i])
  reply[#reply + 1] = redis.call('ZCOUNT', scheduled, string.format('(%.0f', now), within)
end
return reply
