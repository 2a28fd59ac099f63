-- Stores occurrences (messages of recurring schedules). Functions get a table of keys.
-- Needs: add_message, expiry_of, new_batch, remove_obsolete, remove_remains, write_messages

-- Reads what Redis stores of occurrences. An occurrence is known if an earlier run has stored it: it has a record, or it has ended and its
-- call token is in done.
local function read_occurrences(keys, occurrences)
  local ids, tombstones = {}, {}
  for n, occurrence in ipairs(occurrences) do
    ids[n], tombstones[n] = occurrence.id, '\0' .. occurrence.token
  end
  if #ids == 0 then
    return
  end
  local entry_of, failure_of = redis.call('HMGET', keys.entries, unpack(ids)), redis.call('HMGET', keys.failures, unpack(ids))
  local death_of, window_of = redis.call('ZMSCORE', keys.dead, unpack(ids)), redis.call('ZMSCORE', keys.done, unpack(tombstones))
  local left_of = redis.call('HMGET', keys.grouped, unpack(ids))
  for n, occurrence in ipairs(occurrences) do
    occurrence.entry, occurrence.failure, occurrence.death, occurrence.left = entry_of[n], failure_of[n], death_of[n], left_of[n]
    occurrence.is_known = window_of[n] or redis.call('HEXISTS', keys.messages, occurrence.id) == 1
  end
end

-- Stores the occurrences that are not known. An occurrence exists when the script has written its record. Returns the earliest due time of
-- the stored occurrences, nil if there is none.
local function store_occurrences(keys, occurrences)
  local batch, without, first = new_batch(), {}, nil
  for _, occurrence in ipairs(occurrences) do
    if not occurrence.is_known then
      local due = tonumber(occurrence.score)
      occurrence.expiry = expiry_of(occurrence.expiry_spec, due)
      add_message(batch, occurrence.id, occurrence.score, occurrence.name, occurrence.expiry,
        '1' .. occurrence.score .. occurrence.token .. occurrence.envelope)
      if occurrence.entry or occurrence.failure or occurrence.death or occurrence.left then
        remove_remains(keys, occurrence)
      else
        without[#without + 1] = occurrence
      end
      first = math.min(first or due, due)
    end
  end
  if batch.count > 0 then
    if redis.call('ZADD', keys.scheduled, unpack(batch.scheduled)) < batch.count then
      for _, occurrence in ipairs(without) do
        remove_obsolete(keys, occurrence)
      end
    end
    write_messages(batch, keys.expiries, keys.grouped, keys.groups, keys.messages)
  end
  return first
end
