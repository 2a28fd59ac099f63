-- Unparks messages. Functions get keys as a table: entries, grouped, parked and scheduled; and throttled if any_throttled is set:
-- then a sweep unparks the messages of groups without tokens.

-- Schedules the first parked messages of a group again: PARKED -> SCHEDULED.
local function unpark(keys, name, count)
  local first = redis.call('ZRANGE', keys.parked, '[' .. name .. '\0', '(' .. name .. '\1', 'BYLEX', 'LIMIT', 0, count)
  if #first > 0 and keys.any_throttled and redis.call('ZSCORE', keys.throttled, name) then
    return 0
  end
  for _, member in ipairs(first) do
    local due, id = string.sub(member, #name + 2, #name + 17), string.sub(member, #name + 19)
    -- A member without this state was left by a script that stopped half-way.
    if redis.call('HGET', keys.grouped, id) == due .. '\0' .. name and redis.call('HEXISTS', keys.entries, id) == 0 then
      redis.call('ZADD', keys.scheduled, due, id)
    end
    redis.call('ZREM', keys.parked, member)
  end
  return #first
end

-- Unparks messages of several groups, as many as a batch in all: each group gets some now, and the next sweeps find the rest.
local function unpark_each(keys, counts, batch)
  local groups = 0
  for _ in pairs(counts) do
    groups = groups + 1
  end
  for name, count in pairs(counts) do
    unpark(keys, name, math.min(count, math.max(1, math.floor(batch / groups))))
  end
end
