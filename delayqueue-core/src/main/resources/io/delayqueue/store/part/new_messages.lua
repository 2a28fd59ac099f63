-- Collects new messages in a table (batch), and writes them.

local function new_batch()
  return {count = 0, scheduled = {}, expiries = {}, grouped = {}, groups = {}, messages = {}}
end

-- Adds a message to the batch: score is its due time in 16 digits. A message without a group has an empty group, and without an expiry nil.
local function add_message(batch, id, score, group, expiry, record)
  local scheduled, messages, at = batch.scheduled, batch.messages, 2 * batch.count
  batch.count = batch.count + 1
  scheduled[at + 1], scheduled[at + 2] = score, id
  messages[at + 1], messages[at + 2] = id, record
  if expiry then
    local expiries = batch.expiries
    expiries[#expiries + 1] = string.format('%.1f', expiry)
    expiries[#expiries + 1] = id
  end
  if group ~= '' then
    local grouped, groups = batch.grouped, batch.groups
    grouped[#grouped + 1] = id
    grouped[#grouped + 1] = score .. '\0' .. group
    groups[#groups + 1] = 0
    groups[#groups + 1] = group .. '\0' .. score .. '\0' .. id
    groups[#groups + 1] = 0
    groups[#groups + 1] = '\1' .. id
  end
end

-- Writes the other keys of the messages of a batch, after scheduled. The records come last.
local function write_messages(batch, expiries, grouped, groups, messages)
  if #batch.expiries > 0 then
    redis.call('ZADD', expiries, unpack(batch.expiries))
  end
  if #batch.groups > 0 then
    redis.call('HSET', grouped, unpack(batch.grouped))
    redis.call('ZADD', groups, unpack(batch.groups))
  end
  redis.call('HSET', messages, unpack(batch.messages))
end

-- Returns the expiry that a script argument gives (ms), nil if the argument is empty; then whether the expiry is not before the due time.
local function expiry_of(spec, due)
  if spec == '' then
    return nil, true
  end
  -- The fraction 0.5 marks an expiry that is relative to the due time.
  local expiry = (string.byte(spec) == 43) and due + spec + 0.5 or tonumber(spec)
  return expiry, expiry >= due
end
