#!lua flags=allow-oom
-- Grants messages to a reader (a consumer in one process) of a queue with limits. A grant takes tokens of the queue's rate, which
-- are valid for a short time, and permits for messages in flight, which last until the reader reports fewer messages in flight or
-- its lease ends.
-- ARGV[1] reader (text, the name of the reader that asks)
-- ARGV[2] call (number of this call of the reader; a repeat of the call has the same number)
-- ARGV[3] in flight (messages of this reader that are pending, or may be pending)
-- ARGV[4] unused (tokens of the reader's last grant that it has not used)
-- ARGV[5] wanted (messages, 0 to return unused tokens)
-- ARGV[6] rate (messages|ms|burst, empty for none; a rate that Redis stores replaces it)
-- ARGV[7] max in flight (messages of the whole queue, 0 for any number)
-- ARGV[8] validity (ms, longest time for which a grant is valid, unless late grants have made it longer)
-- ARGV[9] lease (ms, for which a reader that makes no calls keeps its permits)
-- ARGV[10] gone (text, a silent reader that an earlier reply contained, and whose messages are no longer pending; empty if none)
-- ARGV[11] late (number of the reader's reads in a row that have arrived after the end of their grants: this grant is then valid for
--   the longest time, and costs more tokens; if this is not enough again and again, that time doubles for all readers)
-- Returns {answer, now (us), messages, validity (us), wait (us, until the reader asks again, 0 if it waits for a permit), a reader
--   to notify because a permit for which it waits is free (text, empty for none), a silent reader whose lease has ended
--   (text|number of its last call, empty for none)}
--   granted   the reader may read this number of messages, which may be 0; each message uses a token
--   permitted the reader may read this number of messages, which may be 0; while the grant is valid, the reader may use the permit
--             of a settled message for another message
--   unlimited the queue has no limits
-- Limits: the messages of a silent reader count until another reader has found that they are no longer pending. Cost: O(log N).
local budget, permits = unpack(KEYS)
local reader, call, in_flight, unused, wanted = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local most, shortest, lease, gone, late = tonumber(ARGV[7]), tonumber(ARGV[8]) * 1000, tonumber(ARGV[9]), ARGV[10], tonumber(ARGV[11])

-- include types
-- include validity

require_types('hash', budget, 'zset', permits)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_millis = math.floor(now / 1000)
local stored = redis.call('HMGET', budget, 'rate', 'full-at', 'turn', 'in-flight', 'waiting', 'r:' .. reader, 'lows',
  'validity')
local rate, full_at, turn, all, waiting = stored[1] or ARGV[6], tonumber(stored[2] or 0), tonumber(stored[3] or 0),
  tonumber(stored[4] or 0), stored[5] or ''

-- Reads what Redis stores of a reader: its last call, the permits that it holds, its last grant, the time of this grant (us), and
-- since when the reader holds permits (us).
local function read_reader(text)
  local last_call, held, granted, at, since = string.match(text or '0|0|0|0|0', '^(%d+)|(%d+)|(%d+)|(%d+)|(%d+)')
  return {call = last_call, held = tonumber(held), granted = tonumber(granted), at = tonumber(at), since = tonumber(since)}
end

-- Lows are the least times until the bucket was full (us), each with its own time, with growing times: the least low after a grant is
-- how long the bucket has been filling, at least, since this grant. Only 8 are stored: the first two become one, with the lesser low and
-- the later time.
local function add_low(lows, at, low)
  for n = #lows, 1, -1 do
    if lows[n].at > at then
      -- The clock of Redis has gone back: no reader gives back tokens of an earlier grant.
      low = 0
    elseif lows[n].low < low then
      break
    end
    lows[n] = nil
  end
  lows[#lows + 1] = {at = at, low = low}
  if #lows > 8 then
    lows[2].low = math.min(lows[1].low, lows[2].low)
    table.remove(lows, 1)
  end
end

-- Returns how much earlier the bucket is full (us) because a reader gives back tokens of a grant: not at all if the bucket was full
-- in the meantime even with the grant, because new tokens have replaced them. Then subtracts the tokens from all lows since the grant.
local function take_back(lows, granted_at, wait)
  local back, any = wait, false
  for _, low in ipairs(lows) do
    if low.at > granted_at then
      back, any = math.min(back, low.low), true
      low.low = math.max(0, low.low - wait)
    end
  end
  return any and back or 0
end

local function remove(name)
  redis.call('HDEL', budget, 'r:' .. name)
  redis.call('ZREM', permits, name)
end

if rate == '' and most == 0 then
  return {'unlimited', now, wanted, shortest, 0, '', ''}
end
local last = read_reader(stored[6])

local was_granted = last.granted > 0 and last.call ~= call
local validity, earlier_validity, validity_text = adapt_validity(stored[8], shortest, was_granted, late, now)

-- A token may be used from the time at which the bucket has it, for at most `span`. So the deliveries of any period use the tokens of
-- this period and of the span before it, which are at most messages + burst. If the burst leaves too little time for a span,
-- the bucket gets tokens more slowly: by 3 % at most, or more if calls take long. While the bucket is full, its tokens remain valid for
-- `least`.
local messages, per, burst = string.match(rate, '^(%d+)|(%d+)|(%d+)$')
local answer = messages and 'granted' or 'permitted'
local function shape_of(valid)
  if not messages then
    return 0, 0, valid, 0
  end
  local slower = valid > shortest and math.min(valid, per) or math.min(valid, 0.03 * per)
  local interval = math.max(per / messages, (per + slower) / (messages + burst))
  local span = math.min((messages + burst) * interval - per, (burst - 1) * interval + valid) - 2
  local least = math.min(valid, span) / 2
  return interval, span, least, (span - least) / interval + 1
end
if messages then
  messages, per, burst = tonumber(messages), per * 1000, tonumber(burst)
end
local interval, span, least, capacity = shape_of(validity)
if last.call == call then
  return {answer, now, last.granted, math.max(0, math.floor(last.at + least - now)), 0, '', ''}
end

-- A reader whose lease has ended is silent. It is removed if it holds no messages.
local silent = redis.call('ZRANGE', permits, '-inf', '(' .. string.format('%.0f', now_millis), 'BYSCORE', 'LIMIT', 0, 1)[1]
local removed
if silent == reader then
  silent = nil
elseif silent then
  local of_silent = read_reader(redis.call('HGET', budget, 'r:' .. silent))
  local known = silent .. '|' .. of_silent.call
  if of_silent.held == 0 or known == gone then
    all, removed, silent = all - of_silent.held, silent, nil
  else
    silent = known
  end
end

-- Computes how many tokens the bucket has, and how many it should have before a reader takes some: each read costs two calls.
local tokens, enough, lows = wanted, wanted, {}
for at, low in string.gmatch(stored[7] or '', '(%d+)|(%d+)') do
  lows[#lows + 1] = {at = tonumber(at), low = tonumber(low)}
end
if messages then
  local earlier_interval, earlier_span, _, earlier_capacity = shape_of(earlier_validity)
  if interval ~= earlier_interval then
    -- The bucket gets the first token of another interval when the last one of the earlier interval cannot be used any more.
    full_at = now + capacity * interval + math.max(span, earlier_span)
  elseif capacity > earlier_capacity then
    -- A larger bucket has no more tokens than the smaller one had.
    full_at = math.max(full_at, now) + (capacity - earlier_capacity) * interval
  end
  -- If the clock of Redis has gone back, the stored time is too late: the bucket is not more than empty.
  full_at = math.min(math.max(full_at, now), now + capacity * interval + 2 * validity)
  add_low(lows, now, full_at - now)
  full_at = math.max(now, full_at - take_back(lows, last.at, math.min(unused, last.granted) * interval))
  add_low(lows, now, full_at - now)
  tokens = math.max(0, math.floor((capacity * interval - (full_at - now) + 1) / interval))
  enough = math.max(1, math.floor(math.min((span - least) / 2, 20000) / interval))
end

-- Readers without a permit wait in a line. A reader that has held permits for some time gives way to them.
local line, is_in_line = {}, false
for name in string.gmatch(waiting, '[^%z]+') do
  line[#line + 1] = name
  is_in_line = is_in_line or name == reader
end
local of_others = math.max(0, all - last.held)
all = of_others + in_flight
local free = most > 0 and math.max(0, most - all) or wanted
local gives_way = most > 0 and last.held > 0 and now - last.since >= 100000 and #line > (is_in_line and 1 or 0)
enough = math.min(enough, wanted, free)
local granted = tokens >= enough and not gives_way and math.min(wanted, tokens, free) or 0
if late > 0 and granted > 0 then
  full_at = math.max(full_at, now + validity - least)
end
local valid = gives_way and 0 or messages and math.min(validity, least + full_at - now) or validity
full_at = full_at + granted * interval
all = all + granted

-- Gives readers that get no tokens different times at which to ask again, one after the other.
local wait = gives_way and 10000 or 0
if granted == 0 and enough > 0 and tokens < enough then
  local ready_at = full_at - (capacity - enough) * interval
  -- The stored turn is too late if the clock of Redis has gone back, or if the rate was lower before.
  turn = turn > now + 1000000 + validity + 2 * math.max(interval, 20000) and 0 or turn
  local at = math.min(math.max(ready_at, turn), ready_at + 1000000)
  turn = math.max(turn, at + enough * interval)
  wait = math.max(1, math.ceil(at - now))
end
local waits = granted == 0 and wanted > 0 and in_flight == 0 and (free == 0 or gives_way)
-- If the clock of Redis has gone back, a lease may end too late: no lease ends later than a lease that begins now.
local longest = wanted > free and redis.call('ZRANGE', permits, 0, 0, 'REV', 'WITHSCORES') or {}
local is_too_long = longest[2] and tonumber(longest[2]) > now_millis + lease
local woken = ''
for n = #line, 1, -1 do
  if line[n] == reader and not waits then
    table.remove(line, n)
  end
end
if waits and not is_in_line and #line < 100 then
  line[#line + 1] = reader
end
local first = line[1] == reader and 2 or 1
if most > all and line[first] then
  woken = table.remove(line, first)
end

local held = most > 0 and in_flight + granted or 0
local is_leaving = wanted == 0 and held == 0
if not is_leaving then
  redis.call('ZADD', permits, string.format('%.0f', now_millis + lease), reader)
end
if is_too_long then
  redis.call('ZADD', permits, 'XX', string.format('%.0f', now_millis + lease), longest[1])
end
local changed = {'full-at', string.format('%.0f', math.ceil(full_at)), 'turn', string.format('%.0f', turn),
  'in-flight', string.format('%.0f', most > 0 and all or of_others), 'waiting', table.concat(line, '\0'),
  'r:' .. reader, string.format('%s|%.0f|%.0f|%.0f|%.0f', call, held, granted, now, last.held > 0 and last.since or now)}
if messages then
  local texts = {}
  for n, low in ipairs(lows) do
    texts[n] = string.format('%.0f|%.0f', low.at, low.low)
  end
  changed[#changed + 1], changed[#changed + 2] = 'lows', table.concat(texts, '|')
end
if validity_text then
  changed[#changed + 1], changed[#changed + 2] = 'validity', validity_text
end
if removed then
  -- If this run stops before it removes the silent reader, the next run must not subtract its messages again.
  changed[#changed + 1], changed[#changed + 2] = 'r:' .. removed, '0|0|0|0|0'
end
redis.call('HSET', budget, unpack(changed))
if is_leaving then
  remove(reader)
end
if removed then
  remove(removed)
end
return {answer, now, granted, math.floor(valid), wait, woken, wanted > free and silent or ''}
