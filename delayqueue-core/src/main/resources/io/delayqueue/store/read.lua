#!lua flags=allow-oom
-- Delivers ready messages to a consumer, unless the partition is paused, with their records as of that moment: READY ->
-- PENDING. Creates the consumer group if there is none.
-- KEYS[1] messages (hash)
-- KEYS[2] ready (stream)
-- KEYS[3] entries (hash)
-- KEYS[4] failures (hash)
-- KEYS[5] expiries (zset)
-- KEYS[6] control (hash)
-- ARGV[1] consumer (text)
-- ARGV[2] most (messages, 1 to 1,000; 0 to return the rest of what an earlier run delivered)
-- ARGV[3] enough (bytes of records after which the remaining ones are left for another run)
-- ARGV[4 + 2n] entry (stream entry id, of the rest)
-- ARGV[5 + 2n] id (text)
-- Returns {read or paused, now (us), the messages (append_records)}
-- Limits: entries delivered without a reply are left to the heartbeat. Cost: O(messages + bytes of their records).
local messages, ready, entries, failures, expiries, control = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local keys = {messages = messages, ready = ready, entries = entries, failures = failures, expiries = expiries}
local consumer, most, enough = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

-- include layout
-- include types
-- include read

local foreign, _, _, paused_since = read_control(control)
if foreign then
  return foreign
end

local any = prepare_read(keys)
local time = redis.call('TIME')

local delivered, ids, refused = read_group(keys, consumer, paused_since and 0 or most)
if refused then
  return refused
end
for i = 4, #ARGV, 2 do
  delivered[#delivered + 1] = ARGV[i]
  ids[#ids + 1] = ARGV[i + 1]
end
local reply = {paused_since and 'paused' or 'read', time[1] * 1000000 + time[2]}
append_records(reply, keys, any, delivered, ids, enough)
return reply
