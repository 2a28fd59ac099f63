-- Adapts how long grants are valid to the time that reads take.

-- Returns the longest validity of the grants of all readers (us), the validity before this call, and the text to store, nil if it has not
-- changed. The text has the validity; since when it has been so (us), and whether it was halved then (1 or 0); the time of the last late
-- read (us), and how much reads were late: 3 for each, 6 if its grant was valid for the longest time, 2 less for each read in time,
-- so that it grows if more than two of five reads are late; after which time without a late read the validity is halved (us).
-- `was_granted` is true if the reader's last call got messages: a reader that is late counts once, however often it asks until it gets
-- messages again.
local function adapt_validity(text, shortest, was_granted, late, now)
  local validity, since, halved, late_at, lates, hold = string.match(text or '', '^(%d+)|(%d+)|(%d)|(%d+)|(%d+)|(%d+)$')
  validity, since, halved = tonumber(validity or shortest), tonumber(since or 0), halved or '0'
  late_at, lates, hold = tonumber(late_at or 0), tonumber(lates or 0), tonumber(hold or 5000000)
  local earlier = validity
  if was_granted and late == 0 then
    lates = math.max(0, lates - 2)
  elseif was_granted and math.abs(now - since) > 2 * validity then
    -- Readers that were late together are late again before all of them have got longer grants, which counts no more.
    late_at, lates = now, lates + (late > 1 and 6 or 3)
  end
  if lates > (halved == '1' and 3 or 12) and validity < 16 * shortest then
    -- If it was halved too early, it is doubled soon, and not halved again so soon.
    hold = halved == '1' and math.min(2 * hold, 160000000) or hold
    validity, since, halved, lates = 2 * validity, now, '0', 0
  elseif math.abs(now - math.max(late_at, since)) > hold then
    if validity > shortest then
      validity, since, halved = validity / 2, now, '1'
    elseif late_at > 0 then
      since, halved, late_at, lates, hold = 0, '0', 0, 0, 5000000
    end
  end
  local changed = string.format('%.0f|%.0f|%s|%.0f|%.0f|%.0f', validity, since, halved, late_at, lates, hold)
  return validity, earlier, (text or late_at > 0) and changed ~= text and changed or nil
end
