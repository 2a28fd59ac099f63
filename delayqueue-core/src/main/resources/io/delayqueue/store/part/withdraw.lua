-- Removes the next occurrence (message) of a recurring schedule, if Redis has already stored it. The function gets a table of keys.
-- Needs: groups_of, leave_group, read_lease

-- The value in failures of a message without attempts that a script has begun to remove. It stays if the script stops half-way.
local removed = '0|0|0||'

-- Removes a message that is due later, and of which no attempt has begun: SCHEDULED, PARKED, READY -> (none). Does not add its call token to
-- done, because the definition already shows that the instant has no occurrence. If there is no record, a run that stopped half-way has left
-- the other keys. Returns how many parked messages were scheduled again, and the error of Redis, if any.
local function withdraw(keys, id, now)
  local record, failure = redis.call('HGET', keys.messages, id), redis.call('HGET', keys.failures, id)
  if record and (tonumber(string.sub(record, 2, 17)) <= now or failure and failure ~= removed or redis.call('ZSCORE', keys.dead, id)) then
    return 0
  end
  local entry, score = redis.call('HGET', keys.entries, id), redis.call('ZSCORE', keys.scheduled, id)
  local expiry, group = redis.call('ZSCORE', keys.expiries, id), groups_of(keys, {id})[1]
  if entry then
    local lease, refused = read_lease(keys.ready, entry)
    if lease or refused then
      return 0, refused
    end
  end
  if record and (group or expiry) then
    redis.call('HSETNX', keys.failures, id, removed)
  end
  redis.call('HDEL', keys.messages, id)
  redis.call('ZREM', keys.scheduled, id)
  redis.call('ZREM', keys.expiries, id)
  local unparked = 0
  if group then
    unparked = leave_group(keys, id, group, score and tonumber(score) <= now)
    redis.call('HDEL', keys.grouped, id)
  end
  redis.call('HDEL', keys.failures, id)
  if entry then
    redis.call('HDEL', keys.entries, id)
    redis.call('XDEL', keys.ready, entry)
    redis.call('XACK', keys.ready, 'consumers', entry)
  end
  return unparked
end
