-- Accesses each key of a partition, so that an unusable key causes an error before the first repair. Finds undelivered entries.
-- Needs: active, dead, done, entries, expiries, failures, grouped, groups, messages, parked, readers, ready, scheduled
redis.call('HLEN', messages)
redis.call('HLEN', entries)
redis.call('HLEN', failures)
redis.call('ZCARD', scheduled)
redis.call('ZCARD', dead)
redis.call('ZCARD', done)
redis.call('ZCARD', expiries)
redis.call('HLEN', grouped)
redis.call('ZCARD', groups)
redis.call('ZCARD', active)
redis.call('ZCARD', parked)
redis.call('XLEN', ready)
local last_delivered = readers and readers['last-delivered-id']

-- Whether an entry in the stream is undelivered. Redis compares the ids, because a double cannot hold them.
local function is_undelivered(entry)
  return not last_delivered or #redis.call('XRANGE', ready, '(' .. last_delivered, entry, 'COUNT', 1) > 0
end
