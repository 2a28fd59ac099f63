#!lua flags=no-writes
-- Lists the misplaced ids of a page: those that are not in exactly one correct state.
-- KEYS[1] messages (hash)
-- KEYS[2] scheduled (zset)
-- KEYS[3] ready (stream)
-- KEYS[4] entries (hash)
-- KEYS[5] failures (hash)
-- KEYS[6] dead (zset)
-- KEYS[7] done (zset)
-- KEYS[8] expiries (zset)
-- KEYS[9] grouped (hash)
-- KEYS[10] groups (zset)
-- KEYS[11] active (zset)
-- KEYS[12] parked (zset)
-- KEYS[13] control (hash)
-- ARGV[1] page of (messages, scheduled, dead, entries, failures, expiries, grouped, groups, active, parked or ready)
-- ARGV[2] cursor (0 for the first page, which is a page of messages)
-- ARGV[3] limit (ids, about, 10 to 500)
-- ARGV[4] size (bytes of records, about, at which a page ends)
-- Returns {key of the next page (empty if there is none), its cursor, then for each misplaced id: id, entry (or a key name
--   and a member of groups, active or parked; empty if neither applies)}
-- Limits: early messages are found only among records up to 4 KB. Cost: O(limit + size); reads all ids of up to 2,000 large
-- records
-- at once.
local messages, scheduled, ready, entries = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local failures, dead, done, expiries = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local grouped, groups, active, parked, control = KEYS[9], KEYS[10], KEYS[11], KEYS[12], KEYS[13]
local of, cursor, limit, size = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

local next_of = {messages = 'scheduled', scheduled = 'dead', dead = 'entries', entries = 'failures', failures = 'expiries',
  expiries = 'grouped', grouped = 'groups', groups = 'active', active = 'parked', parked = 'ready'}

-- include layout
-- include groups

local large, few = 4096, 2000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- include members

-- include readers
-- include partition

local strays, looked = {}, 0
local function stray(id, entry)
  strays[#strays + 1] = id
  strays[#strays + 1] = entry or ''
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

local function look_at_messages()
  local ids, due_of = ids_of_records()
  if not ids then
    return due_of
  end
  looked = #ids
  for from = 1, #ids, 1000 do
    local to = math.min(from + 999, #ids)
    local entry_of = redis.call('HMGET', entries, unpack(ids, from, to))
    local place_of = redis.call('ZMSCORE', scheduled, unpack(ids, from, to))
    local death_of = redis.call('ZMSCORE', dead, unpack(ids, from, to))
    local group_of = groups_of({unpack(ids, from, to)})
    for n = 1, to - from + 1 do
      local id, place, group = ids[from + n - 1], place_of[n], group_of[n]
      local due = due_of[id] or 0
      local aside = group and redis.call('ZSCORE', parked, member_of(id, group))
      if (not place and not death_of[n] and not entry_of[n] and not aside) or (place and death_of[n])
          or (aside and (place or death_of[n] or entry_of[n])) or (place and due > now and tonumber(place) < due)
          or (group and not death_of[n] and not redis.call('ZSCORE', groups, member_of(id, group))) then
        stray(id)
      end
    end
  end
end

local function look_at_entries()
  local page = redis.call('HSCAN', entries, cursor, 'COUNT', limit)
  cursor, looked = page[1], #page[2] / 2
  for i = 1, #page[2], 2 do
    local id, entry = page[2][i], page[2][i + 1]
    local found = string.match(entry, '^%d+%-%d+$') and redis.call('XRANGE', ready, entry, entry)[1]
    if not found or found[2][2] ~= id or redis.call('HEXISTS', messages, id) == 0 then
      stray(id)
    elseif is_undelivered(entry) then
      if redis.call('ZSCORE', scheduled, id) or redis.call('ZSCORE', dead, id) then
        stray(id)
      end
    elseif #redis.call('XPENDING', ready, 'consumers', entry, entry, 1) == 0 then
      stray(id)
    end
  end
end

local function look_for_what_has_no_record(page)
  cursor, looked = page[1], #page[2] / 2
  for i = 1, #page[2], 2 do
    if redis.call('HEXISTS', messages, page[2][i]) == 0 then
      stray(page[2][i])
    end
  end
end

local function look_at_members(of_group, page)
  cursor, looked = page[1], #page[2] / 2
  for i = 1, #page[2], 2 do
    local id = id_of(page[2][i])
    if not is_member(of_group, page[2][i], id) then
      stray(id, of_group .. '\0' .. page[2][i])
    end
  end
end

local function look_at_ready()
  local delivered = last_delivered and redis.call('XRANGE', ready, cursor, last_delivered, 'COUNT', limit) or {}
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
      stray(entry[2][2], entry[1])
    end
  end
  cursor = (#delivered == limit) and '(' .. last or '0'
end

for _ = 1, 11 do
  local refused
  if of == 'messages' then
    refused = look_at_messages()
  elseif of == 'scheduled' then
    look_for_what_has_no_record(redis.call('ZSCAN', scheduled, cursor, 'COUNT', limit))
  elseif of == 'dead' then
    look_for_what_has_no_record(redis.call('ZSCAN', dead, cursor, 'COUNT', limit))
  elseif of == 'entries' then
    look_at_entries()
  elseif of == 'failures' then
    look_for_what_has_no_record(redis.call('HSCAN', failures, cursor, 'COUNT', limit))
  elseif of == 'expiries' then
    look_for_what_has_no_record(redis.call('ZSCAN', expiries, cursor, 'COUNT', limit))
  elseif of == 'grouped' then
    look_for_what_has_no_record(redis.call('HSCAN', grouped, cursor, 'COUNT', limit))
  elseif of == 'groups' then
    look_at_members(of, redis.call('ZSCAN', groups, cursor, 'COUNT', limit))
  elseif of == 'active' then
    look_at_members(of, redis.call('ZSCAN', active, cursor, 'COUNT', limit))
  elseif of == 'parked' then
    look_at_members(of, redis.call('ZSCAN', parked, cursor, 'COUNT', limit))
  else
    look_at_ready()
  end
  if refused then
    return refused
  end
  limit = limit - looked
  if cursor == '0' then
    of = next_of[of] or ''
  end
  if cursor ~= '0' or of == '' or limit < 10 then
    break
  end
end
local reply = {of, cursor}
for _, value in ipairs(strays) do
  reply[#reply + 1] = value
end
return reply
