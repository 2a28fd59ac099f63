-- Writes to the history how messages have ended, if their queue keeps one. Functions get a table of keys: ends, history. If Redis refuses a
-- write, the script still removes or dead-letters the message, and trim-history.lua reports the cause.

-- Returns a table that collects the ended messages of a script run; nil if the queue keeps no history. The setting says for how long the
-- history keeps an ended message (ms), and the most ended messages; how is the letter for the way in which the messages of this run end.
local function new_ends(setting, where, how)
  local kept, most = string.match(setting or '', '^(%d+)|(%d+)$')
  if tonumber(most or '0') > 0 then
    return {kept = tonumber(kept), most = tonumber(most), where = where, how = how, ids = {}, texts = {}, middles = {}}
  end
end

-- Returns the id of a message without its group, for calls that name no group.
local function plain_id_of(id)
  return string.match(id, '^[^\1]*')
end

-- Adds a message that ends to the table; failure is its value in failures, and took for how long its last handler ran, ms. The cut text
-- must not end with a part of a UTF-8 character.
local function add_end(recorded, id, failure, further_attempts, took)
  if not recorded then
    return
  end
  local attempts, text = further_attempts or 0, ''
  if failure then
    local failed, crashed, reason = string.match(failure, '^(%d+)|(%d+)|%d+|[^|]*|(.*)$')
    attempts, text = attempts + (failed or 0) + (crashed or 0), reason or ''
    took = took or recorded.how == 'L' and string.match(text, '%z[^|]*|%d+|(%d+)|')
    -- Without the stack trace
    text = string.match(text, '^%Z*%z%Z*') or text
    text = #text > 200 and string.gsub(string.sub(text, 1, 200), '[\194-\244][\128-\191]*$', '') or text
  end
  local n, middles = #recorded.ids + 1, recorded.middles
  middles[attempts] = middles[attempts] or '\0' .. string.format('%.0f', attempts) .. '\0' .. recorded.where .. '\0'
  recorded.ids[n], recorded.texts[n] = id, id .. '\0' .. recorded.how .. (took or '') .. middles[attempts] .. text
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
  local fields, entries, last = {}, {}, {}
  for n, one in ipairs(old) do
    local id = string.match(one[2][2], '^%Z*')
    entries[n], fields[2 * n - 1], fields[2 * n] = one[1], id, plain_id_of(id)
  end
  for n, entry in ipairs(redis.call('HMGET', keys.ends, unpack(fields))) do
    if entry == entries[math.ceil(n / 2)] then
      last[#last + 1] = fields[n]
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
  if not recorded or #recorded.ids == 0 then
    return
  end
  local now, last = time[1] * 1000 + math.floor(time[2] / 1000), {}
  local at = string.format('%.0f-*', now)
  for n, id in ipairs(recorded.ids) do
    local entry = redis.pcall('XADD', keys.history, at, 'e', recorded.texts[n])
    if type(entry) == 'table' then
      -- The clock of Redis has gone back
      at, entry = '*', redis.pcall('XADD', keys.history, '*', 'e', recorded.texts[n])
    end
    if type(entry) == 'table' then
      return
    end
    last[4 * n - 3], last[4 * n - 2], last[4 * n - 1], last[4 * n] = id, entry, plain_id_of(id), entry
  end
  if type(redis.pcall('HSET', keys.ends, unpack(last))) ~= 'table' and now % 16 < #recorded.ids then
    remove_old_ends(keys, recorded.kept, recorded.most, now, math.min(math.max(64, 4 * #recorded.ids), 3000))
  end
end
