-- Writes to the history how messages have ended, if their queue keeps one. Functions get a table of keys: ends, history. If Redis refuses a
-- write, the script still removes or dead-letters the message, and trim-history.lua reports the cause.

-- Returns a table that collects the ended messages of a script run; nil if the queue keeps no history. The setting says for how long the
-- history keeps an ended message (ms), and the most ended messages.
local function new_ends(setting, where)
  local kept, most = string.match(setting or '', '^(%d+)|(%d+)$')
  return tonumber(most or '0') > 0 and {kept = tonumber(kept), most = tonumber(most), where = where} or nil
end

-- Adds a message that ends to the table: how is the letter for the way it ended; failure is its value in failures.
local function add_end(recorded, id, group, how, failure, further_attempts)
  if not recorded then
    return
  end
  local failed, crashed, reason = string.match(failure or '', '^(%d+)|(%d+)|%d+|[^|]*|(.*)$')
  local text = reason or ''
  if #text > 200 then
    -- The cut text must not end with a part of a UTF-8 character
    text = string.gsub(string.sub(text, 1, 200), '[\194-\244][\128-\191]*$', '')
  end
  local attempts = string.format('%.0f', (failed or 0) + (crashed or 0) + (further_attempts or 0))
  recorded[#recorded + 1] = {id = id, text = table.concat({id, group or '', how, attempts, recorded.where, text}, '\0')}
end

-- Removes the oldest ended messages (at most limit) from the history, if they are too old or too many. Returns how many.
local function remove_old_ends(keys, kept, most, now, limit)
  local old = redis.call('XRANGE', keys.history, '-', string.format('%.0f', math.max(now - kept, 0)), 'COUNT', limit)
  local excess = math.min(redis.call('XLEN', keys.history) - most, limit)
  if excess > #old then
    old = redis.call('XRANGE', keys.history, '-', '+', 'COUNT', excess)
  end
  if #old == 0 then
    return 0
  end
  local ids, entries, last = {}, {}, {}
  for n, one in ipairs(old) do
    entries[n], ids[n] = one[1], string.match(one[2][2], '^%Z*')
  end
  for n, entry in ipairs(redis.call('HMGET', keys.ends, unpack(ids))) do
    if entry == entries[n] then
      last[#last + 1] = ids[n]
    end
  end
  if #last > 0 then
    redis.call('HDEL', keys.ends, unpack(last))
  end
  redis.call('XDEL', keys.history, unpack(entries))
  return #old
end

-- Writes the collected messages to the history after the commit of the script, so that a repeat adds no message twice. About every sixteenth
-- write also removes old ones, so that the history of a queue without consumers is bounded too.
local function write_ends(keys, recorded, time)
  if not recorded or #recorded == 0 then
    return
  end
  local now, last = time[1] * 1000 + math.floor(time[2] / 1000), {}
  for n, one in ipairs(recorded) do
    local entry = redis.pcall('XADD', keys.history, string.format('%.0f-*', now), 'e', one.text)
    if type(entry) == 'table' then
      -- The clock of Redis has gone back
      entry = redis.pcall('XADD', keys.history, '*', 'e', one.text)
    end
    if type(entry) == 'table' then
      return
    end
    last[2 * n - 1], last[2 * n] = one.id, entry
  end
  if type(redis.pcall('HSET', keys.ends, unpack(last))) == 'table' then
    return
  end
  if now % 16 < #recorded then
    remove_old_ends(keys, recorded.kept, recorded.most, now, math.max(64, 4 * #recorded))
  end
end
