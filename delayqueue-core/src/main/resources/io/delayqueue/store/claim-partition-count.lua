#!lua flags=allow-oom
-- Gives the queue of an empty partition another partition count: (count) -> (count).
-- KEYS[1] messages (hash)
-- KEYS[2] ready (stream)
-- KEYS[3] control (hash)
-- ARGV[1] partitions (1 to 1,024)
-- ARGV[2] alive (ms of idle time after which a consumer counts as dead)
-- Returns {answer}
--   claimed it is the stored count
--   holds   another count is stored, and the partition holds messages; nothing was written
--   used    another count is stored, and a living consumer uses it; nothing was written
-- Cost: O(consumers). Never reads a record.
local messages, ready, control = KEYS[1], KEYS[2], KEYS[3]
local partitions, alive = ARGV[1], tonumber(ARGV[2])

-- include layout
-- include types

local foreign, _, stored_partitions = read_control(control)
if foreign then
  return foreign
end

local held = redis.call('HLEN', messages)
require_types('stream', ready)
if stored_partitions ~= partitions then
  if held > 0 then
    return {'holds'}
  end
  local consumers = redis.pcall('XINFO', 'CONSUMERS', ready, 'consumers')
  if consumers.err then
    local none = string.find(consumers.err, 'NOGROUP', 1, true) or string.find(consumers.err, 'no such key', 1, true)
    if not none then
      return consumers
    end
    consumers = {}
  end
  for _, consumer in ipairs(consumers) do
    for i = 1, #consumer, 2 do
      if consumer[i] == 'idle' and consumer[i + 1] < alive then
        return {'used'}
      end
    end
  end
end
redis.call('HSET', control, 'partitions', partitions)
return {'claimed'}
