#!lua flags=allow-oom
-- Gives a partition of a new epoch a layout, and the switches and holds of older epochs, unless it already has a layout.
-- ARGV[1] partitions (of the epoch, 1 to 1,024)
-- ARGV[2] paused since (ms, 0 if the queue is not paused)
-- ARGV[3] draining since (ms, 0 if the queue is not draining)
-- ARGV[4] limited since (ms, 0 if the queue has no stored limit)
-- ARGV[5] visibility timeout (ms, 0 if none is stored)
-- ARGV[6] history (text, the setting of the history, 0 for none)
-- ARGV[7 + 2n] group (text, empty for the whole partition)
-- ARGV[8 + 2n] hold of this group (16 digits of its end, then its origin and reason)
-- Returns {'laid-out'}
-- Cost: O(holds).
local control, holds = unpack(KEYS)

-- include layout

local foreign, laid_out = read_control(control, 'layout')
if foreign then
  return foreign
end

if not laid_out then
  local fields = {'layout', '2', 'partitions', ARGV[1]}
  for n, name in ipairs({'paused', 'draining', 'limited', 'visibility-timeout', 'history'}) do
    if ARGV[n + 1] ~= '0' then
      fields[#fields + 1] = name
      fields[#fields + 1] = ARGV[n + 1]
    end
  end
  local latest = 0
  for i = 7, #ARGV, 2 do
    redis.call('HSET', holds, ARGV[i], ARGV[i + 1])
    latest = math.max(latest, tonumber(string.sub(ARGV[i + 1], 1, 16)))
  end
  if latest > 0 then
    fields[#fields + 1] = 'holds'
    fields[#fields + 1] = string.format('%.0f', latest)
  end
  redis.call('HSET', control, unpack(fields))
end
return {'laid-out'}
