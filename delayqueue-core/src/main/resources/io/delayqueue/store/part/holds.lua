-- Holds: nothing of a group, or of the whole partition, which is the empty group, is delivered until an end.

-- Whether anything may be held, by the latest end of all holds.
local function any_held(latest, now)
  return latest and tonumber(latest) > now
end

-- The end of a stored hold (ms), nil if there is none or it has passed.
local function end_of_hold(hold, now)
  local till = hold and tonumber(string.sub(hold, 1, 16))
  return till and till > now and till or nil
end
