#!lua flags=no-writes
-- Lists the misplaced ids of a page: ids of messages in no state, in several states or in a wrong state.
-- ARGV[1] page of (the key to scan: messages, scheduled, dead, entries, failures, expiries, grouped, groups, active, parked or
--   ready)
-- ARGV[2] cursor (0 for the first page, which is a page of messages)
-- ARGV[3] limit (about how many ids the page has, 10 to 500)
-- ARGV[4] size (about how many bytes of records the script reads before the page ends)
-- Returns {more (if another page follows) or end, the key to scan next (empty at the end), the cursor in this key, then for each
--   misplaced id: id, entry (a stream entry to check; or a key name and a member of groups, active or parked; else empty)}
-- Limits: finds a message that is scheduled too early only if its record is at most 4 KB long. Cost: O(limit + size); reads all ids
-- of up to 2,000 large records at once.
local messages, scheduled, ready, entries, failures, dead, done, expiries, grouped, groups, active, parked,
  control = unpack(KEYS)
local of, cursor, limit, size = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

-- include layout
-- include types
-- include groups
-- include consumer_group
-- include members

local foreign = read_control(control)
if foreign then
  return foreign
end

local large, few = 4096, 2000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local consumer_group, refused = read_consumer_group(ready)
if refused then
  return refused
end
require_types('hash', messages, 'hash', entries, 'hash', failures, 'hash', grouped, 'zset', scheduled, 'zset', dead,
  'zset', done, 'zset', expiries, 'zset', groups, 'zset', active, 'zset', parked, 'stream', ready)
local keys = {active = active, dead = dead, entries = entries, failures = failures, grouped = grouped, groups = groups, messages = messages,
  parked = parked, scheduled = scheduled}

local reply, checked = {'end', '', '0'}, 0
local function report(id, entry)
  reply[#reply + 1] = id
  reply[#reply + 1] = entry or ''
end

local function ids_of_records()
  local ids, due_of, largest = {}, {}, 0
  for _, id in ipairs(redis.call('HRANDFIELD', messages, 8)) do
    largest = math.max(largest, redis.call('HSTRLEN', messages, id))
  end
  if largest > large then
    local page = redis.pcall('HSCAN', messages, cursor, 'COUNT', limit, 'NOVALUES')
    if not page.err then
      cursor = page[1]
      return page[2], due_of
    elseif not string.find(page.err, 'syntax error', 1, true) then
      return nil, page
    elseif cursor == '0' and redis.call('HLEN', messages) <= few then
      return redis.call('HKEYS', messages), due_of
    end
  end
  local bytes, step = 0, (largest > large) and 1 or limit
  for _ = 1, 20 do
    local page = redis.call('HSCAN', messages, cursor, 'COUNT', step)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      ids[#ids + 1] = page[2][i]
      due_of[page[2][i]] = tonumber(string.match(page[2][i + 1], '^.(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)') or 0)
      bytes = bytes + #page[2][i + 1]
    end
    if cursor == '0' or #ids >= limit or bytes >= size then
      break
    end
    step = math.max(1, math.floor(math.min(4 * step, limit - #ids, (size - bytes) * (#ids + 1) / (bytes + 1))))
  end
  return ids, due_of
end

local function check_messages()
  local ids, due_of = ids_of_records()
  if not ids then
    return due_of
  end
  checked = #ids
  for from = 1, #ids, 1000 do
    local to = math.min(from + 999, #ids)
    local entry_of = redis.call('HMGET', entries, unpack(ids, from, to))
    local score_of = redis.call('ZMSCORE', scheduled, unpack(ids, from, to))
    local death_of = redis.call('ZMSCORE', dead, unpack(ids, from, to))
    local group_of = groups_of(keys, {unpack(ids, from, to)})
    for n = 1, to - from + 1 do
      local id, score, group = ids[from + n - 1], score_of[n], group_of[n]
      local due = due_of[id] or 0
      local is_parked = group and redis.call('ZSCORE', parked, member_of(id, group))
      if (not score and not death_of[n] and not entry_of[n] and not is_parked) or (score and death_of[n])
          or (is_parked and (score or death_of[n] or entry_of[n])) or (score and due > now and tonumber(score) < due)
          or (group and not death_of[n] and not redis.call('ZSCORE', groups, member_of(id, group)))
          or (group and not redis.call('ZSCORE', groups, finding_member_of(id))) then
        report(id)
      end
    end
  end
end

local function check_entries()
  local page = redis.call('HSCAN', entries, cursor, 'COUNT', limit)
  cursor, checked = page[1], #page[2] / 2
  for i = 1, #page[2], 2 do
    local id, entry = page[2][i], page[2][i + 1]
    local found = string.match(entry, '^%d+%-%d+$') and redis.call('XRANGE', ready, entry, entry)[1]
    if not found or found[2][2] ~= id or redis.call('HEXISTS', messages, id) == 0 then
      report(id)
    elseif is_undelivered(ready, consumer_group, entry) then
      if redis.call('ZSCORE', scheduled, id) or redis.call('ZSCORE', dead, id) then
        report(id)
      end
    elseif #redis.call('XPENDING', ready, 'consumers', entry, entry, 1) == 0 then
      report(id)
    end
  end
end

local function check_records(page)
  cursor, checked = page[1], #page[2] / 2
  for i = 1, #page[2], 2 do
    if redis.call('HEXISTS', messages, page[2][i]) == 0 then
      report(page[2][i])
    end
  end
end

local function check_dead()
  local page = redis.call('ZSCAN', dead, cursor, 'COUNT', limit)
  check_records(page)
  for i = 1, #page[2], 2 do
    local group = groups_of(keys, {page[2][i]})[1]
    if group and not redis.call('ZSCORE', groups, dead_member_of(page[2][i], group)) then
      report(page[2][i])
    end
  end
end

local function check_members(page)
  cursor, checked = page[1], #page[2] / 2
  for i = 1, #page[2], 2 do
    local id = id_of(page[2][i])
    if not is_member(keys, of, page[2][i], id, now) then
      report(id, of .. '\0' .. page[2][i])
    end
  end
end

local function check_ready()
  local delivered = consumer_group
    and redis.call('XRANGE', ready, cursor, consumer_group['last-delivered-id'], 'COUNT', limit) or {}
  if #delivered == 0 then
    cursor = '0'
    return
  end
  local pending, first, last = {}, delivered[1][1], delivered[#delivered][1]
  for _, lease in ipairs(redis.call('XPENDING', ready, 'consumers', first, last, limit)) do
    pending[lease[1]] = true
  end
  for _, entry in ipairs(delivered) do
    if not pending[entry[1]] then
      report(entry[2][2], entry[1])
    end
  end
  cursor = (#delivered == limit) and '(' .. last or '0'
end

local check = {
  messages = check_messages,
  scheduled = function() return check_records(redis.call('ZSCAN', scheduled, cursor, 'COUNT', limit)) end,
  dead = check_dead,
  entries = check_entries,
  failures = function() return check_records(redis.call('HSCAN', failures, cursor, 'COUNT', limit)) end,
  expiries = function() return check_records(redis.call('ZSCAN', expiries, cursor, 'COUNT', limit)) end,
  grouped = function() return check_records(redis.call('HSCAN', grouped, cursor, 'COUNT', limit)) end,
  groups = function() return check_members(redis.call('ZSCAN', groups, cursor, 'COUNT', limit)) end,
  active = function() return check_members(redis.call('ZSCAN', active, cursor, 'COUNT', limit)) end,
  parked = function() return check_members(redis.call('ZSCAN', parked, cursor, 'COUNT', limit)) end,
  ready = check_ready,
}
local next_of = {messages = 'scheduled', scheduled = 'dead', dead = 'entries', entries = 'failures', failures = 'expiries',
  expiries = 'grouped', grouped = 'groups', groups = 'active', active = 'parked', parked = 'ready'}

for _ = 1, 11 do
  local failure = check[of]()
  if failure then
    return failure
  end
  limit = limit - checked
  if cursor == '0' then
    of = next_of[of] or ''
  end
  if cursor ~= '0' or of == '' or limit < 10 then
    break
  end
end
reply[1], reply[2], reply[3] = of ~= '' and 'more' or 'end', of, cursor
return reply
