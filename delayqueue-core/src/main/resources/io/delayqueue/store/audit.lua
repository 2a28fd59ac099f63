#!lua flags=no-writes
-- Counts records, messages in each state and stream entries, to find damage: each message with a record must be in exactly one
-- state, and each stream entry must be undelivered or pending.
-- Returns {'counted', messages, scheduled, dead, entries, ready (entries in the stream), stranded (entries in the stream that no
--   consumer will ever get; 0 while any entry is undelivered, because Redis then cannot count them), consumers, parked, history
--   (its setting, empty if none), recurring (1 if the partition has had recurring schedules, else 0), buckets (token buckets of
--   groups)}
-- Cost: O(1).
local messages, scheduled, ready, entries, dead, parked, control, rates = unpack(KEYS)

-- include layout
-- include consumer_group

local foreign, kept, is_marked = read_control(control, 'history', 'recurring')
if foreign then
  return foreign
end

local group, refused = read_consumer_group(ready)
if refused then
  return refused
end
local stranded, held = 0, redis.call('XLEN', ready)
if group and held > group.pending
    and #redis.call('XRANGE', ready, '(' .. group['last-delivered-id'], '+', 'COUNT', 1) == 0 then
  stranded = held - group.pending
end
return {'counted', redis.call('HLEN', messages), redis.call('ZCARD', scheduled), redis.call('ZCARD', dead),
  redis.call('HLEN', entries), held, stranded, group and group.consumers or 0, redis.call('ZCARD', parked), kept or '',
  is_marked and 1 or 0, redis.call('ZCARD', rates)}
