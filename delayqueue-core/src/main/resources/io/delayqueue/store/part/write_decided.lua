-- Writes the messages that decide.lua has planned in a schedule call. Functions get a table of keys and the state of the call.
-- Needs: add_end, add_message, drop, new_batch, remove_obsolete, remove_remains, replace, require_types, token_ends, write_messages

-- Returns the batch of new messages, the new messages with and without old data of stopped scripts, the messages to be replaced, and the
-- first due time of all.
local function planned(call)
  local batch, with_remains, without, replaced, first = new_batch(), {}, {}, {}, nil
  for _, message in ipairs(call.messages) do
    if message.is_planned then
      first = math.min(first or message.due, message.due)
      if message.is_new then
        local has_remains = message.entry or message.failure or message.death or message.left
        local list = has_remains and with_remains or without
        list[#list + 1] = message
        local score = string.format('%016.0f', message.due)
        add_message(batch, message.id, score, message.name, message.expiry, message.record)
      else
        replaced[#replaced + 1] = message
      end
    end
  end
  return batch, with_remains, without, replaced, first
end

-- Writes the planned messages. Returns whether this is the first use of the partition, and whether one of them is now its first due message.
local function write_decided(keys, call, is_new_head)
  local batch, with_remains, without, replaced, first = planned(call)
  -- Checks the keys that only these cases write.
  if #call.dropped + #replaced + #with_remains > 0 then
    require_types('hash', keys.grouped, 'zset', keys.expiries, 'zset', keys.groups, 'zset', keys.active, 'zset', keys.parked)
  end
  if is_new_head == nil then
    is_new_head = redis.call('ZCOUNT', keys.scheduled, '-inf', string.format('%.0f', first or 0)) == 0
  end
  local begun, ended = 2 * #replaced + #call.dropped, {}
  if begun > 0 then
    ended = redis.call('ZRANGE', keys.done, '-inf', string.format('%.0f', call.now), 'BYSCORE', 'LIMIT', 0, begun + 100)
  end

  local is_first_use = first and call.control
  if is_first_use then
    redis.call('HSET', keys.control, unpack(call.control))
  end
  if #ended > 0 then
    -- In a queue without consumers, no sweep removes the tokens and ids whose time has ended.
    redis.call('ZREM', keys.done, unpack(ended))
  end
  -- Keeps the call token, because a late repeat must not store a message that the first run found to be stored already.
  for _, message in ipairs(call.known) do
    redis.call('ZADD', keys.done, 'NX', token_ends(message.token, call.now, call.ends), '\0' .. message.token)
  end
  -- Messages of this call that it drops at once: keeps their tokens before it stores other messages, because a repeat must not drop again.
  for _, oldest in ipairs(call.dropped) do
    if oldest.n then
      redis.call('ZADD', keys.done, token_ends(oldest.token, call.now, call.ends), '\0' .. oldest.token)
      add_end(call.recorded, oldest.id)
    end
  end
  for _, message in ipairs(with_remains) do
    remove_remains(keys, message)
  end
  if batch.count > 0 then
    -- If an id is already in scheduled, an earlier run stopped before it wrote the record, and may have left more data.
    if redis.call('ZADD', keys.scheduled, unpack(batch.scheduled)) < batch.count then
      for _, message in ipairs(without) do
        remove_obsolete(keys, message)
      end
    end
    write_messages(batch, keys.expiries, keys.grouped, keys.groups, keys.messages)
  end
  for _, message in ipairs(replaced) do
    replace(keys, call, message)
  end
  for _, stopped in ipairs(call.resumed) do
    if stopped.due then
      redis.call('ZADD', keys.scheduled, string.format('%.0f', stopped.due), stopped.id)
    end
    if stopped.expiry then
      redis.call('ZADD', keys.expiries, string.format('%.1f', stopped.expiry), stopped.id)
    end
  end
  for _, oldest in ipairs(call.dropped) do
    if not oldest.n then
      drop(keys, call, oldest)
    end
  end
  return is_first_use, first and is_new_head
end
