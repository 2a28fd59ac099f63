-- Records how messages end, if their queue keeps a history. Functions get keys as a table: ends and history. A run that
-- cannot write the ends continues, because a message must end. The script that removes old ends reports the cause.

-- The record of a run for the ends of messages; nil if the queue keeps no history. The setting is how long ends are kept
-- (ms) and at most how many.
local function new_ends(setting, where)
  local kept, most = string.match(setting or '', '^(%d+)|(%d+)$')
  return tonumber(most or '0') > 0 and {kept = tonumber(kept), most = tonumber(most), where = where} or nil
end

-- Notes the end of a message: how is its letter; failure is its value in failures.
local function add_end(recorded, id, group, how, failure, further_attempts)
  if not recorded then
    return
  end
  local failed, crashed, reason = string.match(failure or '', '^(%d+)|(%d+)|%d+|[^|]*|(.*)$')
  local text = reason or ''
  if #text > 200 then
    -- Without a part of a character at the end
    text = string.gsub(string.sub(text, 1, 200), '[\194-\244][\128-\191]*$', '')
  end
  local attempts = string.format('%.0f', (failed or 0) + (crashed or 0) + (further_attempts or 0))
  recorded[#recorded + 1] = {id = id, text = table.concat({id, group or '', how, attempts, recorded.where, text}, '\0')}
end

-- Removes the oldest ends, at most so many, that are too old or too many; returns how many.
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

-- Writes the ends of a run, after its commit: a repeat adds no end twice. About every sixteenth end
-- removes old ones, so that the history is bounded without consumers.
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
