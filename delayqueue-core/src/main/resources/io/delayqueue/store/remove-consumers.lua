#!lua flags=allow-oom
-- Removes consumers that hold no messages: a consumer that leaves, and consumers that have long been idle.
-- ARGV[1] leaving (consumer name, empty for none)
-- ARGV[2] idle (ms after which a consumer that holds no messages counts as dead)
-- Returns {'removed', number of consumers}
-- Cost: O(consumers). Never removes a consumer with pending entries, because they would be lost.
local ready, control = unpack(KEYS)
local leaving, dead_after = ARGV[1], tonumber(ARGV[2])

-- include layout

local foreign = read_control(control)
if foreign then
  return foreign
end

local consumers = redis.pcall('XINFO', 'CONSUMERS', ready, 'consumers')
if consumers.err then
  local none = string.find(consumers.err, 'NOGROUP', 1, true) or string.find(consumers.err, 'no such key', 1, true)
  return none and {'removed', 0} or consumers
end
local removed = 0
for _, consumer in ipairs(consumers) do
  local fields = {}
  for i = 1, #consumer, 2 do
    fields[consumer[i]] = consumer[i + 1]
  end
  if fields.pending == 0 and (fields.name == leaving or fields.idle > dead_after) then
    redis.call('XGROUP', 'DELCONSUMER', ready, 'consumers', fields.name)
    removed = removed + 1
  end
end
return {'removed', removed}
