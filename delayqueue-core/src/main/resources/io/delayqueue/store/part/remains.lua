-- Removes what is left of messages without a record, after a script has stopped half-way. Functions get a table of keys.
-- Needs: groups_of, leave_group

-- Removes old data of an id that a new message with this id does not overwrite.
local function remove_obsolete(keys, message)
  if not message.expiry then
    redis.call('ZREM', keys.expiries, message.id)
  end
end

-- Removes all old data of an id.
local function remove_remains(keys, message)
  local id, group = message.id, groups_of(keys, {message.id})[1]
  -- Removes the expiry first, because the schedule call finds it only with other data.
  redis.call('ZREM', keys.expiries, id)
  if message.entry then
    redis.call('HDEL', keys.entries, id)
    redis.call('XDEL', keys.ready, message.entry)
    redis.call('XACK', keys.ready, 'consumers', message.entry)
  end
  redis.call('ZREM', keys.dead, id)
  if group then
    leave_group(keys, id, group)
    redis.call('HDEL', keys.grouped, id)
  end
  -- Removes the failures last, because they show the next run that other data is left.
  redis.call('HDEL', keys.failures, id)
end
