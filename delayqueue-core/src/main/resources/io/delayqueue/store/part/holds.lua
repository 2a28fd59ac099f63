-- Reads holds. While a group is held, scripts deliver none of its messages. A hold with an empty group applies to the whole partition.

-- Whether the partition or any group may be held: whether the latest end of all holds is in the future.
local function any_held(latest, now)
  return latest and tonumber(latest) > now
end

-- Returns the end of a stored hold (ms), nil if there is no hold or it has ended.
local function end_of_hold(hold, now)
  local till = hold and tonumber(string.sub(hold, 1, 16))
  return till and till > now and till or nil
end
