-- Compares texts by their bytes, as Redis orders members of equal scores: Lua compares by the server's locale.

-- Whether one text comes after another.
local function follows(one, other)
  for i = 1, math.min(#one, #other) do
    local byte, other_byte = string.byte(one, i), string.byte(other, i)
    if byte ~= other_byte then
      return byte > other_byte
    end
  end
  return #one > #other
end
