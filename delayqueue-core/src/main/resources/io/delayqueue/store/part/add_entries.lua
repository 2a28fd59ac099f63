-- Adds messages to the stream. The function gets a table of keys: entries, ready.

-- Adds an entry for each of 1 or more ids, and makes it the current entry of the message.
local function add_entries(keys, ids)
  -- A value of more than 64 bytes, which the same command overwrites, makes a hash table of entries. In the compact encoding of
  -- a small hash, each later access to an id would walk through the ids of all messages that are ready or pending.
  local current = {ids[1], string.rep('-', 65)}
  for n, id in ipairs(ids) do
    current[2 * n + 1] = id
    current[2 * n + 2] = redis.call('XADD', keys.ready, '*', 'id', id)
  end
  redis.call('HSET', keys.entries, unpack(current))
end
