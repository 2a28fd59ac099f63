-- Computes how long Redis keeps a call token, to recognise a repeat of the call. Most tokens end with 0 to 9 or A to F; Redis keeps such a
-- token for the window of its call. A last character from G to U names a longer time, 2^n minutes (n is 0 for G), for calls that are stored
-- outside Redis and may be repeated much later.

-- Whether a call token names the time for which Redis keeps it.
local function is_lasting(token)
  local byte = string.byte(token, 11)
  return byte ~= nil and byte >= 71 and byte <= 85
end

-- Returns until when Redis keeps a token, as text (ms): until the given time, or until the time that the token names if that is later.
local function token_ends(token, now, ends)
  if not is_lasting(token) then
    return ends
  end
  return string.format('%.0f', math.max(tonumber(ends), now + 60000 * 2 ^ (string.byte(token, 11) - 71)))
end
