-- Checks keys before the first write of a script: an access returns an error if a key has the wrong type, or if the user lacks a right.

-- Accesses keys; the arguments are pairs of a type (hash, zset or stream) and a key.
local function require_types(...)
  for i = 1, select('#', ...), 2 do
    local type, key = select(i, ...)
    if type == 'hash' then
      redis.call('HLEN', key)
    elseif type == 'zset' then
      redis.call('ZCARD', key)
    else
      redis.call('XLEN', key)
    end
  end
end
