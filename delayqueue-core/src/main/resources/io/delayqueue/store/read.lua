#!lua flags=allow-oom
-- Delivers ready messages with their records to a consumer, unless the partition is paused or held: READY -> PENDING. Creates the
-- consumer group if there is none.
-- ARGV[1] consumer (text)
-- ARGV[2] most (messages, 1 to 1,000; 0 to return only records of messages that an earlier run delivered)
-- ARGV[3] enough (bytes of records after which the reply contains no further record; another run returns the others)
-- ARGV[4] valid until (us, end of the grant for the messages; 0 without a grant, 1 for messages that an earlier run delivered)
-- ARGV[5] held (pending entries that the consumer knows: nothing is delivered while it has more; -1 to read without this check)
-- ARGV[6 + 2n] entry (stream entry id, of a message that an earlier run delivered)
-- ARGV[7 + 2n] id (text)
-- Returns {read, paused, held, limited (there is no grant, and the queue has limits) or unknown-pending (the consumer has more pending
--   entries than it knows), now (us), the messages (as append_records writes them)}
-- Limits: if a reply is lost, the lease renewal of the consumer finds the entries of the reply. Cost: O(messages + bytes
-- of their records, as append_records reads them).
local messages, ready, entries, failures, expiries, control, holds, grouped = unpack(KEYS)
local keys = {messages = messages, ready = ready, entries = entries, failures = failures, expiries = expiries, holds = holds,
  grouped = grouped}
local consumer, most, enough = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local valid_until, held_entries = tonumber(ARGV[4]), tonumber(ARGV[5])

-- include layout
-- include types
-- include read
-- include holds
-- include held_groups

local foreign, paused_since, limited_since, latest_hold, closed = read_control(control, 'paused', 'limited', 'holds', 'closed')
if foreign then
  return foreign
end

local any = prepare_read(keys)
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local are_held = any_held(latest_hold, now)
local held = are_held and end_of_hold(redis.call('HGET', holds, ''), now)
if are_held then
  require_types('hash', grouped)
end
local state
most, state = deliverable(most, 'read', paused_since, held, limited_since, valid_until, micros)
local pending = most > 0 and held_entries >= 0 and redis.pcall('XPENDING', ready, 'consumers') or {}
if any_unknown(pending, consumer, held_entries) then
  most, state = 0, 'unknown-pending'
end
if closed and redis.call('XLEN', ready) == 0 then
  -- A partition that has ended gets no keys any more.
  most = 0
end

local delivered, ids, refused = read_group(keys, consumer, most)
if refused then
  return refused
end
for i = 6, #ARGV, 2 do
  delivered[#delivered + 1] = ARGV[i]
  ids[#ids + 1] = ARGV[i + 1]
end
local reply = {state, micros}
any.held = are_held and held_of(keys, ids, now)
append_records(reply, keys, any, delivered, ids, enough)
return reply
