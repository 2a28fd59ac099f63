-- Reads the lease of a stream entry.

-- Returns two values: the lease as XPENDING lists it, nil if the entry is not pending; and the error of Redis, nil if there is none.
local function read_lease(ready, entry)
  local leases = redis.pcall('XPENDING', ready, 'consumers', entry, entry, 1)
  if leases.err then
    return nil, not string.find(leases.err, 'NOGROUP', 1, true) and leases or nil
  end
  return leases[1]
end
