#!lua flags=allow-oom
-- Reads dead letters of a closed partition that has no other messages, for a process that moves them to a newer epoch. After a call
-- has returned dead letters, other scripts refuse to change dead letters of this partition, until a later call finds none.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] entries (hash)
-- KEYS[4] failures (hash)
-- KEYS[5] dead (zset)
-- KEYS[6] grouped (hash)
-- KEYS[7] parked (zset)
-- KEYS[8] control (hash)
-- ARGV[1] offset (dead letters to skip, from 0)
-- ARGV[2] limit (dead letters, 1 to 100)
-- ARGV[3] size (bytes of records after which the script reads no further record)
-- ARGV[4] carrier (text, the name of the process that moves them)
-- Returns {answer, time of the call (ms), then for each dead letter: id, time of death (ms), record (bytes), failures (text), due
--   NUL group (text, empty without a group)}
--   carries the partition is empty or has only dead letters; if the reply contains any, other scripts refuse to change them from now on
--   lasts   the partition is open, or has other messages
-- Cost: O(log N + limit); reads records.
local messages, scheduled, entries, failures = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local dead, grouped, parked, control = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local offset, limit, size = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

-- include layout

local foreign, closed, carrying = read_control(control, 'closed', 'carrying')
if foreign then
  return foreign
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if not closed or redis.call('HLEN', messages) ~= redis.call('ZCARD', dead) or redis.call('HLEN', entries) > 0
    or redis.call('ZCARD', scheduled) > 0 or redis.call('ZCARD', parked) > 0 then
  if carrying == ARGV[4] then
    redis.call('HDEL', control, 'carrying')
  end
  return {'lasts', now}
end
local found, reply, bytes = redis.call('ZRANGE', dead, offset, offset + limit - 1, 'WITHSCORES'), {'carries', now}, 0
for i = 1, #found, 2 do
  local id, record = found[i], redis.call('HGET', messages, found[i])
  if bytes >= size then
    break
  elseif record then
    bytes = bytes + #record
    local failure, group = redis.call('HGET', failures, id) or '', redis.call('HGET', grouped, id) or ''
    for _, value in ipairs({id, found[i + 1], record, failure, group}) do
      reply[#reply + 1] = value
    end
  end
end
if #reply > 2 then
  redis.call('HSET', control, 'carrying', ARGV[4])
elseif carrying == ARGV[4] then
  redis.call('HDEL', control, 'carrying')
end
return reply
