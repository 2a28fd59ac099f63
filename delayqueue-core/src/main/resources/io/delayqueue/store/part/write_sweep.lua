-- Writes what a sweep has decided. Functions get a table of keys (active, control, entries, grouped, parked, rates, ready, scheduled,
-- throttled), and the state of the sweep (run).
-- Needs: add_entries, slots_of, unpark_each, write_buckets, write_throttled

-- Writes the new location of each message before it removes the old one.
local function write_sweep(keys, run)
  if run.has_rates then
    local full = redis.call('ZRANGE', keys.rates, '-inf', string.format('%.0f', run.micros), 'BYSCORE', 'LIMIT', 0, 2 * run.batch + 100)
    if #full > 0 then
      redis.call('ZREMRANGEBYRANK', keys.rates, 0, #full - 1)
    end
  end
  write_buckets(keys, run)
  write_throttled(keys, run)
  if not run.any_throttled and next(run.throttled) then
    redis.call('HSET', keys.control, 'throttled', '1')
    run.any_throttled = true
  end
  -- A slot is held by a scheduled message: a parked one would keep it if this script stopped now.
  if #run.resumed_dues > 0 then
    redis.call('ZADD', keys.scheduled, unpack(run.resumed_dues))
  end
  if #run.taken_slots > 0 then
    redis.call('ZADD', keys.active, unpack(run.taken_slots))
  end
  if #run.parking > 0 then
    redis.call('ZADD', keys.parked, unpack(run.parking_members))
  end
  if #run.left_slots > 0 then
    redis.call('ZREM', keys.active, unpack(run.left_slots))
  end
  if #run.ids > 0 then
    add_entries(keys, run.ids)
  end
  if #run.unparked > 0 then
    redis.call('ZREM', keys.parked, unpack(run.unparked))
  end
  if #run.ids > 0 then
    redis.call('ZREM', keys.scheduled, unpack(run.ids))
  end
  if #run.parking > 0 then
    redis.call('ZREM', keys.scheduled, unpack(run.parking))
  end
  -- A group with limit 1 gets none if the search for an older due message took too long: while so many are due, the message
  -- would be parked again.
  for name in pairs(run.to_unpark) do
    if run.search.first_of == false and slots_of(keys, run, name).limit == 1 then
      run.to_unpark[name] = nil
    end
  end
  unpark_each(keys, run.to_unpark, run.batch)
end
