#!lua flags=allow-oom
-- Prepares a partition for a newer epoch, or closes it: (open) -> (closed).
-- ARGV[1] newer epochs (text, the current epoch last; if empty, the script only prepares the partition: the partition stays open,
--   and its layout excludes processes of the first release)
-- Returns {'closed'}
-- Cost: O(1).
local control = unpack(KEYS)
local newer = ARGV[1]

-- include layout
-- include close

local foreign, closed = read_control(control, 'closed')
if foreign then
  return foreign
end

redis.call('HSET', control, 'layout', '2')
close(control, closed, newer)
return {'closed'}
