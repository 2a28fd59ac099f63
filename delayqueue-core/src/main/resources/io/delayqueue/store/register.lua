#!lua
-- Registers queues: stores the partition count of the first epoch of each queue, unless a count is stored.
-- ARGV[2n - 1] queue (text)
-- ARGV[2n] partitions (1 to 1,024)
-- Returns {'registered', for each queue: the stored partition count (text)}
-- Limits: at most 500 queues a call. Cost: O(queues).
local queues = unpack(KEYS)

local reply = {'registered'}
for i = 1, #ARGV, 2 do
  redis.call('HSETNX', queues, ARGV[i], ARGV[i + 1])
  reply[#reply + 1] = redis.call('HGET', queues, ARGV[i])
end
return reply
