#!lua flags=no-writes
-- Lists the commands that the connected user may not run, and returns the time.
-- KEYS[1] messages (hash)
-- ARGV[n] command (words separated by blanks, at least as many as the command needs; '@' stands for the key)
-- Returns {'checked', now (us, 0 if the user may not run TIME), then each given command that the user may not run}
-- Cost: O(commands). Accesses no key.
local key = KEYS[1]
local time = redis.pcall('TIME')
local reply = {'checked', time.err and 0 or time[1] * 1000000 + time[2]}
for _, command in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(command, '[^ ]+') do
    words[#words + 1] = word == '@' and key or word
  end
  if not redis.acl_check_cmd(unpack(words)) then
    reply[#reply + 1] = command
  end
end
return reply
