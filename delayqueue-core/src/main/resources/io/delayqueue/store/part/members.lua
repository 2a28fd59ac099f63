-- Functions with which find-misplaced.lua and repair.lua check stream entries, and members of groups, active and parked.

-- Whether a stream entry is undelivered. Redis compares the entry ids, because a number of Lua (a double) cannot hold them.
local function is_undelivered(ready, consumer_group, entry)
  return not consumer_group
    or #redis.call('XRANGE', ready, '(' .. consumer_group['last-delivered-id'], entry, 'COUNT', 1) > 0
end

-- Returns the message id in a member of groups, active or parked: the text behind the last NUL, or behind the byte 1 at the beginning.
local function id_of(member)
  return string.match(member, '^\1?.-(%Z*)$')
end

-- Whether a member of groups, active or parked agrees with the state of its message at the time now. Gets a table of keys: dead, entries,
-- failures, grouped, messages, scheduled.
local function is_member(keys, of, member, id, now)
  local about = redis.call('HGET', keys.grouped, id)
  if not about or redis.call('HEXISTS', keys.messages, id) == 0 then
    return false
  end
  local name, due = string.sub(about, 18), string.sub(about, 1, 16)
  if string.byte(member) == 1 then
    return of == 'groups'
  elseif of == 'groups' and string.find(member, '\2\0', 1, true) then
    return member == name .. '\2\0' .. id and redis.call('ZSCORE', keys.dead, id) ~= false
  elseif of ~= 'active' then
    return member == name .. '\0' .. due .. '\0' .. id
  end
  -- A message that is scheduled for later and has no failures was rescheduled, and so has no active slot.
  local score = redis.call('ZSCORE', keys.scheduled, id)
  return member == name .. '\0' .. id and (redis.call('HEXISTS', keys.entries, id) == 1
    or (score and (tonumber(score) <= now or redis.call('HEXISTS', keys.failures, id) == 1)) or false)
end
