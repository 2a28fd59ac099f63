-- Checks of members of groups, active and parked, for find-misplaced and repair.
-- Needs: entries, failures, grouped, messages, now, scheduled

-- The id of a member of groups, active or parked; it follows the last NUL.
local function id_of(member)
  return string.match(member, '(%Z*)$')
end

-- Whether such a member is correct at the time now.
local function is_member(of, member, id)
  local about = redis.call('HGET', grouped, id)
  if not about or redis.call('HEXISTS', messages, id) == 0 then
    return false
  end
  if of == 'active' then
    -- A message that is scheduled for later without failures was rescheduled, and holds no active slot.
    local place = redis.call('ZSCORE', scheduled, id)
    return member == string.sub(about, 18) .. '\0' .. id and (redis.call('HEXISTS', entries, id) == 1
      or (place and (tonumber(place) <= now or redis.call('HEXISTS', failures, id) == 1)) or false)
  end
  return member == string.sub(about, 18) .. '\0' .. string.sub(about, 1, 16) .. '\0' .. id
end
