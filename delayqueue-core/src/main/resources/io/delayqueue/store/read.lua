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
-- Returns {read or paused, now (us), returned messages, then for each of them: entry, id, failures (text), expiry (ms), each
--   empty if there is none, lost (1 if the entry is the current one but there is no record, else 0), record (bytes, 0 if
--   it is gone or belongs to another delivery); then for each of the rest: entry, id}
-- Limits: returns at least one record; entries delivered without a reply are left to the heartbeat. Cost: O(messages + bytes of
-- their records).
local messages, ready, entries, failures, expiries, control = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local consumer, most, enough = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

-- include layout
-- include types

local foreign, _, _, paused_since = read_control(control)
if foreign then
  return foreign
end

require_types('hash', messages, 'hash', entries)
local any_failures = redis.call('HLEN', failures) > 0
local any_expiries = redis.call('ZCARD', expiries) > 0
local time = redis.call('TIME')

local delivered, ids = {}, {}
if most == 0 then
  for i = 4, #ARGV, 2 do
    delivered[#delivered + 1] = ARGV[i]
    ids[#ids + 1] = ARGV[i + 1]
  end
elseif not paused_since then
  local function read_group()
    return redis.pcall('XREADGROUP', 'GROUP', 'consumers', consumer, 'COUNT', most, 'STREAMS', ready, '>')
  end
  local read = read_group()
  if read and read.err and string.find(read.err, 'NOGROUP', 1, true) then
    -- From the first entry on, so that no entry is skipped.
    redis.call('XGROUP', 'CREATE', ready, 'consumers', '0', 'MKSTREAM')
    read = read_group()
  end
  if read and read.err then
    return read
  end
  for n, entry in ipairs(read and read[1][2] or {}) do
    delivered[n] = entry[1]
    ids[n] = entry[2][2]
  end
end

local reply, bytes = {paused_since and 'paused' or 'read', time[1] * 1000000 + time[2], 0}, 0
if #ids == 0 then
  return reply
end
local current = redis.call('HMGET', entries, unpack(ids))
local failed = any_failures and redis.call('HMGET', failures, unpack(ids)) or {}
local expiry = any_expiries and redis.call('ZMSCORE', expiries, unpack(ids)) or {}
local at = 3
for n, id in ipairs(ids) do
  reply[at + 1] = delivered[n]
  reply[at + 2] = id
  if bytes < enough then
    local own = current[n] == delivered[n]
    local record = own and redis.call('HGET', messages, id)
    reply[at + 3] = failed[n] or ''
    reply[at + 4] = expiry[n] and string.format('%.0f', math.floor(expiry[n])) or ''
    reply[at + 5] = own and not record and 1 or 0
    reply[at + 6] = record or 0
    bytes = bytes + (record and #record or 0)
    reply[3] = n
    at = at + 6
  else
    at = at + 2
  end
end
return reply
