-- Reads the holds of groups. Functions get a table of keys: grouped, holds.
-- Needs: end_of_hold

-- Adds to the table held, by group, when the holds of some groups end (ms).
local function read_holds(keys, held, names, now)
  for n, hold in ipairs(#names > 0 and redis.call('HMGET', keys.holds, unpack(names)) or {}) do
    held[names[n]] = end_of_hold(hold, now)
  end
end

-- Returns for each index of ids whether the group of this message is held.
local function held_of(keys, ids, now)
  local names, held, found = {}, {}, {}
  for n, about in ipairs(#ids > 0 and redis.call('HMGET', keys.grouped, unpack(ids)) or {}) do
    names[n] = about and string.sub(about, 18) or ''
  end
  read_holds(keys, held, names, now)
  for n, name in ipairs(names) do
    found[n] = name ~= '' and held[name]
  end
  return found
end
