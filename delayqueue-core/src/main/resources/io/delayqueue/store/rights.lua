#!lua flags=no-writes
-- Lists the commands that the connected user may not run, and returns the time.
-- ARGV[n] command (words separated by blanks or '|', exactly as many as the command accepts; '@' stands for the key)
-- Returns {'checked', now (us, 0 if the user may not run TIME), the error of the server for a command that it cannot check (empty
--   if it can check all), then each given command that the user may not run}
-- Cost: O(commands). Accesses no key.
local messages = unpack(KEYS)
local time = redis.pcall('TIME')
local reply = {'checked', time.err and 0 or time[1] * 1000000 + time[2], ''}
for _, command in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(command, '[^ |]+') do
    words[#words + 1] = word == '@' and messages or word
  end
  -- Another number of words is an error since Redis 7.4.11, 8.2.9, 8.4.6 and 8.6.2; servers of other makers may lack the function
  local is_known, answer = pcall(redis.acl_check_cmd, unpack(words))
  if not is_known then
    reply[3] = command .. ': ' .. tostring(type(answer) == 'table' and answer.err or answer)
  elseif not answer then
    reply[#reply + 1] = command
  end
end
return reply
