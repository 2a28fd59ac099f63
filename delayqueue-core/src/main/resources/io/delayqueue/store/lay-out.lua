#!lua flags=allow-oom
-- Lays out a partition of a new epoch with the switches of the older ones, unless it has a layout.
-- KEYS[1] control (hash)
-- ARGV[1] partitions (of the epoch, 1 to 1,024)
-- ARGV[2] paused since (ms, 0 if the queue is not paused)
-- ARGV[3] draining since (ms, 0 if it is not draining)
-- ARGV[4] limited since (ms, 0 if the queue has no stored limit)
-- ARGV[5] visibility timeout (ms, 0 if none is stored)
-- Returns {'laid-out'}
-- Cost: O(1).
local control = KEYS[1]

-- include layout

local foreign, laid_out = read_control(control)
if foreign then
  return foreign
end

if not laid_out then
  local fields = {'layout', '2', 'partitions', ARGV[1]}
  for n, name in ipairs({'paused', 'draining', 'limited', 'visibility-timeout'}) do
    if ARGV[n + 1] ~= '0' then
      fields[#fields + 1] = name
      fields[#fields + 1] = ARGV[n + 1]
    end
  end
  redis.call('HSET', control, unpack(fields))
end
return {'laid-out'}
