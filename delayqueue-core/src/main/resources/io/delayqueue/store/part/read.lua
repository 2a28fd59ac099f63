-- Delivers ready messages with their records. Functions get a table of keys: entries, expiries, failures, messages, ready.
-- Needs: require_types

-- Returns whether any message has failures or an expiry. Accesses each key, so that Redis reports a wrong type or missing right before a
-- write.
local function prepare_read(keys)
  require_types('hash', keys.messages, 'hash', keys.entries)
  if redis.call('EXISTS', keys.failures, keys.expiries) == 0 then
    return {}
  end
  return {failures = redis.call('HLEN', keys.failures) > 0, expiries = redis.call('ZCARD', keys.expiries) > 0}
end

-- Returns how many messages the script may deliver, and the state of the partition. It may deliver none while the partition is paused or
-- held, after the end of the grant (us), or without a grant (valid_until 0) if the queue is limited.
local function deliverable(most, done, paused_since, held, limited_since, valid_until, now)
  if paused_since then
    return 0, 'paused'
  elseif held then
    return 0, 'held'
  elseif limited_since and valid_until == 0 then
    return 0, 'limited'
  end
  return (valid_until == 0 or now <= valid_until) and most or 0, done
end

-- Whether more entries are pending with the consumer than it holds: the reply of an earlier run was lost, or a replica has become the
-- master that does not know the last acknowledgements. Takes the summary of XPENDING. A negative number of held entries is not checked.
local function any_unknown(pending, consumer, held)
  for _, of in ipairs(held >= 0 and pending[4] or {}) do
    if of[1] == consumer then
      return tonumber(of[2]) > held
    end
  end
  return false
end

-- READY -> PENDING: takes entries of the stream for a consumer, none if most is 0. Creates the consumer group if there is none. Returns the
-- entries, their message ids, and the error of Redis, if it refuses the read.
local function read_group(keys, consumer, most)
  local delivered, ids = {}, {}
  if most == 0 then
    return delivered, ids
  end
  local function read()
    return redis.pcall('XREADGROUP', 'GROUP', 'consumers', consumer, 'COUNT', most, 'STREAMS', keys.ready, '>')
  end
  local found = read()
  if found and found.err and string.find(found.err, 'NOGROUP', 1, true) then
    -- The new consumer group begins at the first entry of the stream, so that it skips no entry.
    redis.call('XGROUP', 'CREATE', keys.ready, 'consumers', '0', 'MKSTREAM')
    found = read()
  end
  if found and found.err then
    return delivered, ids, found
  end
  for n, entry in ipairs(found and found[1][2] or {}) do
    delivered[n] = entry[1]
    ids[n] = entry[2][2]
  end
  return delivered, ids
end

-- Appends messages to a reply: the number of messages with records; for each of them: entry, id, failures (text) and expiry (ms), each empty
-- if there is none, special (1 if the current entry has no record, 2 if its group is held by any.held, else 0), record (bytes, 0 if there
-- is none or it is of another delivery). For each message after enough bytes, only: entry, id. Reads up to 4 records behind the last appended one.
local function append_records(reply, keys, any, delivered, ids, enough)
  local counted, at, bytes = #reply + 1, #reply + 1, 0
  reply[counted] = 0
  if #ids == 0 then
    return
  end
  local current = redis.call('HMGET', keys.entries, unpack(ids))
  local failed = any.failures and redis.call('HMGET', keys.failures, unpack(ids)) or {}
  local expiry = any.expiries and redis.call('ZMSCORE', keys.expiries, unpack(ids)) or {}
  local records, before, last = {}, 0, 0
  for n, id in ipairs(ids) do
    if n > last and bytes < enough and current[n] == delivered[n] then
      -- Reads as many records as probably have enough bytes, but at most 5, because any record may be large.
      local count = bytes > 0 and math.min(5, math.ceil((enough - bytes) * (n - 1) / bytes)) or 1
      before, last = n - 1, math.min(n - 1 + count, #ids)
      records = redis.call('HMGET', keys.messages, unpack(ids, n, last))
    end
    reply[at + 1] = delivered[n]
    reply[at + 2] = id
    if bytes < enough then
      local own = current[n] == delivered[n]
      local record = own and records[n - before]
      reply[at + 3] = failed[n] or ''
      reply[at + 4] = expiry[n] and string.format('%.0f', math.floor(expiry[n])) or ''
      reply[at + 5] = own and not record and 1 or any.held and any.held[n] and 2 or 0
      reply[at + 6] = record or 0
      bytes = bytes + (record and #record or 0)
      reply[counted] = n
      at = at + 6
    else
      at = at + 2
    end
  end
end
