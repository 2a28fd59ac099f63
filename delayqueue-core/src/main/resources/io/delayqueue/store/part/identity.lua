-- Names messages that have ended: messages of several groups may have the same id, one after the other.

-- Returns the member of done, and the field of ends, for an id and the name of its group (nil or empty for none).
local function identity_of(id, name)
  return (name or '') == '' and id or name .. '\1' .. id
end
