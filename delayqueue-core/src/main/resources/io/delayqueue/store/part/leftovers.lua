-- Removes what a script that stopped half-way may have left of an id.
-- Needs: dead, entries, entry_of, expiries, failures, group_of, grouped, leave_group, ready

-- Removes what a script that stopped half-way has left of an id without a record.
local function clear(n, id)
  local entry, group = entry_of[n], group_of(id)
  if entry then
    redis.call('HDEL', entries, id)
    redis.call('XDEL', ready, entry)
    redis.call('XACK', ready, 'consumers', entry)
  end
  redis.call('ZREM', dead, id)
  redis.call('ZREM', expiries, id)
  if group then
    leave_group(id, group)
    redis.call('HDEL', grouped, id)
  end
  -- Last: failures mark for the next run that something is left.
  redis.call('HDEL', failures, id)
end

-- Removes remains of an id that a new message with this id does not overwrite.
local function forget(plan, id)
  local group = plan.name == '' and group_of(id)
  if not plan.expiry then
    redis.call('ZREM', expiries, id)
  end
  if group then
    leave_group(id, group)
    redis.call('HDEL', grouped, id)
  end
end
