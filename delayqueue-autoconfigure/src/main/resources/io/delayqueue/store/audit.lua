#!lua flags=no-writes
-- Counts what must add up: every record is in one place, and what the stream holds is undelivered or pending.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] ready (stream)
-- KEYS[4] entries (hash)
-- KEYS[5] dead (zset)
-- KEYS[6] parked (zset)
-- KEYS[7] control (hash)
-- Returns {messages, scheduled, dead, entries, ready (entries in the stream), stranded (entries in the stream that nobody
--   will deliver; 0 while something is undelivered: then that cannot be told), consumers, parked}
-- Cost: O(1).
local messages, scheduled, ready, entries, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local parked, control = KEYS[6], KEYS[7]

-- include layout

local stranded, consumers = 0, 0
local held = redis.call('XLEN', ready)
local groups = redis.pcall('XINFO', 'GROUPS', ready)
if groups.err and not string.find(groups.err, 'no such key', 1, true) then
  return groups
end
for _, group in ipairs(groups) do
  local about = {}
  for i = 1, #group, 2 do
    about[group[i]] = group[i + 1]
  end
  if about.name == 'consumers' then
    consumers = about.consumers
    if held > about.pending and #redis.call('XRANGE', ready, '(' .. about['last-delivered-id'], '+', 'COUNT', 1) == 0 then
      stranded = held - about.pending
    end
  end
end
return {redis.call('HLEN', messages), redis.call('ZCARD', scheduled), redis.call('ZCARD', dead),
  redis.call('HLEN', entries), held, stranded, consumers, redis.call('ZCARD', parked)}
