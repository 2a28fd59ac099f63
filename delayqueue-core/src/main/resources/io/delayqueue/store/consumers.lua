#!lua flags=no-writes
-- Lists the consumers of a partition, and how many messages each holds.
-- ARGV[1] most (consumers to list, 1 to 1,000; those that hold the most messages come first)
-- ARGV[2] sample (pending entries of each consumer that the script reads to find the longest idle time, 1 to 100)
-- Returns {'listed', then for each consumer: name, pending, silent (ms since it last tried to read or took a message), oldest
--   pending idle (ms)}
-- Cost: O(consumers + most x sample).
local ready = unpack(KEYS)
local most, sample = tonumber(ARGV[1]), tonumber(ARGV[2])

local members = redis.pcall('XINFO', 'CONSUMERS', ready, 'consumers')
if members.err then
  local none = string.find(members.err, 'NOGROUP', 1, true) or string.find(members.err, 'no such key', 1, true)
  return none and {'listed'} or members
end
local consumers = {}
for n, member in ipairs(members) do
  local fields = {}
  for i = 1, #member, 2 do
    fields[member[i]] = member[i + 1]
  end
  consumers[n] = fields
end
table.sort(consumers, function(one, other)
  if one.pending ~= other.pending then
    return one.pending > other.pending
  end
  return one.idle < other.idle
end)
local reply = {'listed'}
for n = 1, math.min(most, #consumers) do
  local consumer, oldest = consumers[n], 0
  if consumer.pending > 0 then
    for _, lease in ipairs(redis.call('XPENDING', ready, 'consumers', '-', '+', sample, consumer.name)) do
      oldest = math.max(oldest, lease[3])
    end
  end
  reply[#reply + 1] = consumer.name
  reply[#reply + 1] = consumer.pending
  reply[#reply + 1] = consumer.idle
  reply[#reply + 1] = oldest
end
return reply
