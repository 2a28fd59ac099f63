-- Compares texts by their bytes, the order in which Redis sorts members of equal scores. The operators of Lua compare by the server's locale.

-- Whether a text comes after another text in this order.
local function follows(one, other)
  for i = 1, math.min(#one, #other) do
    local byte, other_byte = string.byte(one, i), string.byte(other, i)
    if byte ~= other_byte then
      return byte > other_byte
    end
  end
  return #one > #other
end
