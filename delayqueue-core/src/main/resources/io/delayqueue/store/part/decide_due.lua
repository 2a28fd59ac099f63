-- Decides on the due messages of a partition. Functions get a table of keys (active, entries, expiries, grouped, groups, holds, parked, rates,
-- scheduled), and the state of the sweep (run).
-- Needs: decide, expired_of, groups_of, read_buckets, read_held

-- Reads the groups of due ids, and what it takes to decide on them: their buckets and holds, and which ids have expired.
local function read_groups(keys, run, page)
  local group_of, names = groups_of(keys, page), {}
  if not run.has_rates and not run.are_held then
    return group_of, {}
  end
  for n = 1, #page do
    if group_of[n] then
      names[#names + 1] = group_of[n].name
    end
  end
  read_buckets(keys, run, names)
  read_held(keys, run, names)
  return group_of, run.has_rates and expired_of(keys, run, page) or {}
end

-- Decides on the messages of a page, until a whole backlog is parked. If no message of the partition has a group, all go to the stream, and
-- run.is_chosen is not needed, because none is parked.
local function decide_on_each(keys, run, page, group_of, expired)
  local any_group, chosen = #group_of > 0, #run.ids
  for n, id in ipairs(page) do
    if not any_group then
      run.ids[chosen + n] = id
    else
      decide(keys, run, id, group_of[n], expired[n])
      if #run.parking >= run.backlog then
        return
      end
    end
  end
end

-- Decides on due messages, oldest first, until the batch is full or a whole backlog is parked.
local function decide_on_oldest(keys, run, most_moved)
  local offset = 0
  for _ = 1, run.batch + run.backlog do
    local most = math.min(most_moved - #run.ids, 2 * run.backlog)
    if most <= 0 or #run.parking >= run.backlog then
      return
    end
    local page = redis.call('ZRANGE', keys.scheduled, '-inf', run.now, 'BYSCORE', 'LIMIT', offset, most)
    if #page > 0 then
      offset = offset + #page
      local group_of, expired = read_groups(keys, run, page)
      decide_on_each(keys, run, page, group_of, expired)
    end
    if #page < most then
      return
    end
  end
end

-- Decides on the most recently due messages, until too many of them stay scheduled: other groups do not wait until the whole
-- backlog of a group is parked.
local function decide_behind_backlog(keys, run, most_moved)
  local read, moved, seen = 0, #run.ids, {}
  for n = 1, math.max(#run.ids, #run.parking) do
    seen[run.ids[n] or ''], seen[run.parking[n] or ''] = true, true
  end
  for _ = 1, 2 * run.backlog do
    local stayed = read - (#run.ids - moved)
    local most = math.min(most_moved - #run.ids, 2 * run.backlog - stayed)
    local page = most > 0 and redis.call('ZRANGE', keys.scheduled, run.now, '-inf', 'BYSCORE', 'REV', 'LIMIT', read, most) or {}
    if #page == 0 then
      return
    end
    read = read + #page
    local group_of, expired = read_groups(keys, run, page)
    for n = #page, 1, -1 do
      if not seen[page[n]] then
        decide(keys, run, page[n], group_of[n], expired[n], true)
      end
    end
  end
end
