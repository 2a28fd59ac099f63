-- How long a call token is recognised. The last character of a token that a producer generates is 0 to 9 or A to F. From G to U it
-- names a longer window: 2^n minutes, where G is n = 0. Such a call is stored outside Redis and may be repeated much later.

-- Whether a token names its own window.
local function is_lasting(token)
  local byte = string.byte(token, 11)
  return byte ~= nil and byte >= 71 and byte <= 85
end

-- The end of the window of a token, as text: the given one, or the token's own if that is later.
local function token_ends(token, now, ends)
  if not is_lasting(token) then
    return ends
  end
  return string.format('%.0f', math.max(tonumber(ends), now + 60000 * 2 ^ (string.byte(token, 11) - 71)))
end
