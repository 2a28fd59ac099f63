#!lua flags=allow-oom
-- Publishes a hint. In a cluster a script with a key runs on the server of the key, but a client sends the command PUBLISH to any
-- server, perhaps to one that hangs. Writes nothing.
-- ARGV[1] channel (text)
-- ARGV[2] hint (text)
-- Returns {'sent'}
-- Limits: the key is not read; for a hint about the members, Java passes a key of the list of members. Cost: O(subscribers).
local control = unpack(KEYS)
local channel, hint = ARGV[1], ARGV[2]

redis.call('PUBLISH', channel, hint)
return {'sent'}
