#!lua flags=allow-oom,allow-cross-slot-keys
-- Reads what partitions on one server, each the first one of a queue, store about the epochs of their queues. Writes nothing, but
-- does not have the flag no-writes, because a demoted master, whose data may be old, would run a script with this flag. In a cluster
-- the partitions have several slots, so only the key of the first partition is declared.
-- ARGV[n] the key control of further partitions
-- Returns {'found', for each partition: its stored partition count (text, empty if the partition is unused), the newer epochs for
--   which it is closed (text, empty if it is open)}
-- Limits: at most 500 partitions a call. Cost: O(partitions).
local control = unpack(KEYS)

local reply = {'found'}
local function find(control)
  local stored = redis.call('HMGET', control, 'partitions', 'closed')
  reply[#reply + 1], reply[#reply + 2] = stored[1] or '', stored[2] or ''
end

find(control)
for i = 1, #ARGV do
  find(ARGV[i])
end
return reply
