-- Unparks messages. Functions get a table of keys: entries, grouped, parked, scheduled. If any_throttled is set, the table also has the key
-- throttled, and the functions leave the messages of throttled groups to a later sweep.

-- Schedules the first parked messages of several groups again: PARKED -> SCHEDULED. If a batch is given, each group gets
-- an equal share of this number of messages, but at least one message, and later sweeps unpark the rest. Returns how many messages were unparked.
local function unpark_each(keys, counts, batch)
  local names, unparked = {}, 0
  for name in pairs(counts) do
    names[#names + 1] = name
  end
  local throttled = keys.any_throttled and #names > 0 and redis.call('ZMSCORE', keys.throttled, unpack(names)) or {}
  for n, name in ipairs(names) do
    local from, to, most = '[' .. name .. '\0', '(' .. name .. '\1', math.max(1, math.floor((batch or math.huge) / #names))
    local first = throttled[n] and {} or redis.call('ZRANGE', keys.parked, from, to, 'BYLEX', 'LIMIT', 0, math.min(counts[name], most))
    for _, member in ipairs(first) do
      local due, id = string.sub(member, #name + 2, #name + 17), string.sub(member, #name + 19)
      -- A script that stopped half-way may have left a member whose message is not parked: it is only removed.
      if redis.call('HGET', keys.grouped, id) == due .. '\0' .. name and redis.call('HEXISTS', keys.entries, id) == 0 then
        redis.call('ZADD', keys.scheduled, due, id)
      end
      redis.call('ZREM', keys.parked, member)
    end
    unparked = unparked + #first
  end
  return unparked
end

local function unpark(keys, name, count)
  return unpark_each(keys, {[name] = count})
end
