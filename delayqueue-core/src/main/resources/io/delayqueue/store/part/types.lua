-- Checks keys before the first write: a key of another type or a missing right causes an error.

local function require_types(keys)
  for _, hash in ipairs(keys.hashes or {}) do
    redis.call('HLEN', hash)
  end
  for _, zset in ipairs(keys.zsets or {}) do
    redis.call('ZCARD', zset)
  end
  if keys.stream then
    redis.call('XLEN', keys.stream)
  end
end
