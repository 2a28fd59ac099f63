-- Removes holds that have ended. Functions get a table of keys: control, holds.

-- Returns the hash fields (groups) of about 1,000 holds.
local function some_holds(keys)
  local page, fields = redis.call('HSCAN', keys.holds, '0', 'COUNT', 1000)[2], {}
  for n = 1, #page, 2 do
    fields[#fields + 1] = page[n]
  end
  return fields
end

-- Removes about 1,000 holds once all holds of the partition have ended (latest is the latest end of all).
local function remove_ended_holds(keys, latest, now)
  if latest and tonumber(latest) <= now then
    local fields = some_holds(keys)
    if #fields > 0 then
      redis.call('HDEL', keys.holds, unpack(fields))
    end
    if redis.call('HLEN', keys.holds) == 0 then
      redis.call('HDEL', keys.control, 'holds')
    end
  end
end
