#!lua flags=allow-oom
-- Moves what is due to the stream, oldest due first: SCHEDULED -> READY. Forgets finished ids whose window has ended.
-- KEYS[1] scheduled (zset)
-- KEYS[2] ready (stream)
-- KEYS[3] entries (hash)
-- KEYS[4] done (zset)
-- KEYS[5] control (hash)
-- ARGV[1] layout (version)
-- ARGV[2] batch size (messages, 1 to 1,000)
-- ARGV[3] high-water mark (undelivered messages in the stream)
-- ARGV[4] forget (finished ids, 1 to 5,000)
-- Returns {moved, lag (ready and not delivered), next due (ms, -1 if none), now (us), paused (1 or 0), forgotten}
-- Cost: O(batch size x log N). Never reads a record. A key that nothing is written to stays as it is.
local scheduled, ready, entries, done, control = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local layout, batch, high_water, forget = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local state = redis.call('HMGET', control, 'layout', 'paused')
if state[1] and state[1] ~= layout then
  return redis.error_reply('LAYOUT ' .. state[1] .. ' is stored, ' .. layout .. ' is known')
end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))

local lag = redis.call('XLEN', ready)
if lag > 0 then
  local pending = redis.pcall('XPENDING', ready, 'consumers')
  if not pending.err then
    lag = lag - pending[1]
  elseif not string.find(pending.err, 'NOGROUP', 1, true) then
    return pending
  end
end
redis.call('HLEN', entries)
redis.call('ZCARD', scheduled)
local ended = redis.call('ZRANGE', done, '-inf', now, 'BYSCORE', 'LIMIT', 0, forget)

local ids = {}
if not state[2] then
  local room = math.min(batch, high_water - lag)
  if room > 0 then
    ids = redis.call('ZRANGE', scheduled, '-inf', now, 'BYSCORE', 'LIMIT', 0, room)
  end
end
if #ids > 0 then
  local current = {}
  for _, id in ipairs(ids) do
    current[#current + 1] = id
    current[#current + 1] = redis.call('XADD', ready, '*', 'id', id)
  end
  redis.call('HSET', entries, unpack(current))
  redis.call('ZREM', scheduled, unpack(ids))
end
if #ended > 0 then
  redis.call('ZREMRANGEBYRANK', done, 0, #ended - 1)
end
local next_due = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]
return {#ids, lag + #ids, tonumber(next_due or '-1'), time[1] * 1000000 + time[2], state[2] and 1 or 0, #ended}
