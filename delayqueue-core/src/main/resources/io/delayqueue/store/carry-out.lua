#!lua flags=allow-oom
-- Reads dead letters of a closed partition that has no other messages, for a process that moves them to a newer epoch. From the first
-- call that returns dead letters until none are left, the partition accepts no message, and other scripts refuse to change its dead
-- letters, which only leave it.
-- ARGV[1] offset (dead letters to skip, from 0)
-- ARGV[2] limit (dead letters, 1 to 100)
-- ARGV[3] size (bytes of records after which the script reads no further record)
-- ARGV[3 + n] id (text; none or up to 100: only these dead letters are read, and the offset does not count)
-- Returns {answer, time of the call (ms), then for each dead letter: id, time of death (ms), record (bytes), failures (text), due
--   NUL group (text, empty without a group)}
--   carries the partition is empty or has only dead letters, which no script changes from now on
--   lasts   the partition is open, or has other messages
-- Cost: O(log N + limit); reads records.
local messages, scheduled, entries, failures, dead, grouped, parked, control = unpack(KEYS)
local offset, limit, size, ids = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), {unpack(ARGV, 4)}

-- include layout

local foreign, closed, carrying = read_control(control, 'closed', 'carrying')
if foreign then
  return foreign
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if not carrying and (not closed or redis.call('HLEN', messages) ~= redis.call('ZCARD', dead) or redis.call('HLEN', entries) > 0
    or redis.call('ZCARD', scheduled) > 0 or redis.call('ZCARD', parked) > 0) then
  return {'lasts', now}
end
local found, reply, bytes = {}, {'carries', now}, 0
if #ids == 0 then
  found = redis.call('ZRANGE', dead, offset, offset + limit - 1, 'WITHSCORES')
else
  for n, died in ipairs(redis.call('ZMSCORE', dead, unpack(ids))) do
    found[2 * n - 1], found[2 * n] = ids[n], died
  end
end
for i = 1, #found, 2 do
  local id, record = found[i], found[i + 1] and redis.call('HGET', messages, found[i])
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
if #reply > 2 and not carrying then
  redis.call('HSET', control, 'carrying', '1')
end
return reply
