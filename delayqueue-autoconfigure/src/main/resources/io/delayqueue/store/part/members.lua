-- Members of groups, active and parked, as audit and repair look at them.
-- Needs: entries, failures, grouped, messages, now, scheduled

-- The id of a member of groups, active or parked; it is what stands behind the last NUL.
local function id_of(member)
  return string.match(member, '(%Z*)$')
end

-- Whether such a member is rightly there, at the time that is now.
local function is_member(of, member, id)
  local about = redis.call('HGET', grouped, id)
  if not about or redis.call('HEXISTS', messages, id) == 0 then
    return false
  end
  if of == 'active' then
    -- Who waits for later without a failure has been rescheduled, and holds up nobody.
    local place = redis.call('ZSCORE', scheduled, id)
    return member == string.sub(about, 18) .. '\0' .. id and (redis.call('HEXISTS', entries, id) == 1
      or (place and (tonumber(place) <= now or redis.call('HEXISTS', failures, id) == 1)) or false)
  end
  return member == string.sub(about, 18) .. '\0' .. string.sub(about, 1, 16) .. '\0' .. id
end
