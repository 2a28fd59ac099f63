#!lua flags=no-writes
-- Counts what keeps a partition of an older epoch from its end.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] entries (hash)
-- KEYS[4] dead (zset)
-- KEYS[5] done (zset)
-- KEYS[6] groups (zset)
-- KEYS[7] parked (zset)
-- KEYS[8] control (hash)
-- KEYS[9] history (stream)
-- KEYS[10] recurring (hash)
-- Returns {answer, messages, dead letters}
--   ended it is closed, holds nothing, no recurring schedule either, and remembers no finished id
--   remembers as ended, but its history is not empty
--   lasts it is closed, and has messages or remembers finished ids
--   open  it is not closed
-- Cost: O(1).
local messages, scheduled, entries, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local done, groups, parked, control, history = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local recurring = KEYS[10]

-- include layout

local foreign, closed, kept, is_marked = read_control(control, 'closed', 'history', 'recurring')
if foreign then
  return foreign
end

local time = redis.call('TIME')
local count = redis.call('HLEN', messages)
local last_end = tonumber(redis.call('ZRANGE', done, -1, -1, 'WITHSCORES')[2] or '0')
-- A script that stopped half-way may have left members without a record; repair removes them.
local rest = redis.call('ZCARD', scheduled) + redis.call('HLEN', entries) + redis.call('ZCARD', dead) + redis.call('ZCARD', groups)
  + redis.call('ZCARD', parked)
if is_marked then
  rest = rest + redis.call('HLEN', recurring)
end
local has_ended = count + rest == 0 and last_end <= time[1] * 1000 + math.floor(time[2] / 1000)
local remembers = has_ended and kept and redis.call('XLEN', history) > 0
return {not closed and 'open' or remembers and 'remembers' or has_ended and 'ended' or 'lasts', count, redis.call('ZCARD', dead)}
