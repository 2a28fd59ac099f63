#!lua flags=no-writes
-- Tells which rights the connected user lacks.
-- KEYS[1] messages (hash)
-- ARGV[n] command (name, or name and first argument separated by '|')
-- Returns a list of the commands, of those asked for, that the user may not run on the key
-- Cost: O(commands). Touches no key.
local key = KEYS[1]
local missing = {}
for _, command in ipairs(ARGV) do
  local name, first = string.match(command, '^([^|]+)|?(.*)$')
  local allowed
  if first == '' then
    allowed = redis.acl_check_cmd(name, key, 'a', 'b', 'c')
  else
    allowed = redis.acl_check_cmd(name, first, key, 'a', 'b', 'c')
  end
  if not allowed then
    missing[#missing + 1] = command
  end
end
return missing
