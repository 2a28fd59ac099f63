-- Finds the first due message of a group. Functions get a table of keys: active, entries, grouped, groups, parked, scheduled.
-- Needs: follows, groups_of

-- Returns the first due message of each group among all scheduled messages; false if more than 2,000 messages are due.
local function first_due_of_all(keys, now)
  local due = redis.call('ZRANGE', keys.scheduled, '-inf', now, 'BYSCORE', 'LIMIT', 0, 2001)
  if #due > 2000 then
    return false
  end
  local first_of = {}
  for n, group in pairs(groups_of(keys, due)) do
    if group then
      local first = first_of[group.name]
      if not first or group.due < first.due or group.due == first.due and follows(first.id, due[n]) then
        first_of[group.name] = {id = due[n], due = group.due}
      end
    end
  end
  return first_of
end

-- Returns the id of the first due message of a group that comes before a given member, or else the id of this member. Returns false if the
-- search would take too long, because many dead letters or messages that are not due come before it. All searches of a sweep share the
-- table search: left (how many more members they may read) and first_of (the result of first_due_of_all).
local function find_first_due(keys, search, now, name, member, id)
  local from, to = '[' .. name .. '\0', '(' .. member
  for _ = 1, 11 do
    local most = math.max(1, math.min(search.left, 100))
    local older = redis.call('ZRANGE', keys.groups, from, to, 'BYLEX', 'LIMIT', 0, most)
    local older_ids = {}
    search.left = search.left - #older
    for n, one in ipairs(older) do
      older_ids[n] = string.sub(one, #name + 19)
    end
    for n, score in ipairs(#older > 0 and redis.call('ZMSCORE', keys.scheduled, unpack(older_ids)) or {}) do
      if score and tonumber(score) <= tonumber(now) then
        return older_ids[n]
      end
    end
    if #older < most then
      return id
    end
    if search.left <= 0 then
      break
    end
    from = '(' .. older[most]
  end
  if search.first_of == nil then
    search.first_of = first_due_of_all(keys, now)
  end
  return search.first_of and search.first_of[name].id
end
