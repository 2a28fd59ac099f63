#!lua flags=allow-oom
-- Creates the consumer group, from the first entry on, so that nothing is skipped: (none) -> (group).
-- KEYS[1] ready (stream)
-- KEYS[2] control (hash)
-- ARGV[1] group (name)
-- Returns {1 if this run created it, else 0}
-- Cost: O(1). A script, as a full Redis refuses the plain command.
local ready, control = KEYS[1], KEYS[2]

-- include layout

local created = redis.pcall('XGROUP', 'CREATE', ready, ARGV[1], '0', 'MKSTREAM')
if created.err then
  return string.find(created.err, 'BUSYGROUP', 1, true) and {0} or created
end
return {1}
