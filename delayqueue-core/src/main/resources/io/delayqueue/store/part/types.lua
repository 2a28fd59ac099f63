-- Checks keys before the first write: a key of another type or a missing right causes an error.

-- Gets each type (hash, zset or stream) with a key.
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
