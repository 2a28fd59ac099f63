#!lua flags=allow-oom
-- Renews the leases of pending entries for the consumers that hold them, as if the entries were just delivered: PENDING -> PENDING.
-- ARGV[1] from (stream entry id at which to begin, '-' for the first entry)
-- ARGV[2] limit (pending entries, 1 to 1,000)
-- Returns {more (if entries remain) or end, the argument 'from' of the next run (empty at the end)}
-- Cost: O(limit).
local ready, control = unpack(KEYS)
local from, limit = ARGV[1], tonumber(ARGV[2])

-- include layout

local foreign = read_control(control)
if foreign then
  return foreign
end

local leases = redis.pcall('XPENDING', ready, 'consumers', from, '+', limit)
if leases.err then
  return string.find(leases.err, 'NOGROUP', 1, true) and {'end', ''} or leases
end
for _, lease in ipairs(leases) do
  redis.call('XCLAIM', ready, 'consumers', lease[2], 0, lease[1], 'JUSTID')
end
if #leases < limit then
  return {'end', ''}
end
return {'more', '(' .. leases[limit][1]}
