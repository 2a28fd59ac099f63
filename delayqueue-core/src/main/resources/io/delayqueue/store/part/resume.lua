-- Resumes throttled groups (those that waited for a token or the end of a hold). Functions get a table of keys (active, entries, expiries,
-- grouped, parked), and the state of the sweep (run).
-- Needs: choose, slots_of, take_slot, take_token, tokens_of

-- Returns for each index of ids whether the message has expired.
local function expired_of(keys, run, ids)
  local expired = {}
  for n, expiry in ipairs(run.any.expiries and #ids > 0 and redis.call('ZMSCORE', keys.expiries, unpack(ids)) or {}) do
    expired[n] = expiry and tonumber(expiry) <= tonumber(run.now)
  end
  return expired
end

-- Appends the first parked messages of a group to found. Returns whether the group has more parked messages.
local function append_parked(keys, name, count, found)
  local first = redis.call('ZRANGE', keys.parked, '[' .. name .. '\0', '(' .. name .. '\1', 'BYLEX', 'LIMIT', 0, count + 1)
  for n = 1, math.min(#first, count) do
    found.ids[#found.ids + 1] = string.sub(first[n], #name + 19)
    found.messages[#found.messages + 1] = {member = first[n], name = name, due = string.sub(first[n], #name + 2, #name + 17)}
  end
  return #first > count
end

-- Selects parked messages of a group that has tokens. Without a free slot, the script that frees a slot unparks them. In a group with limit
-- 1, the next sweep moves the oldest message.
local function resume_group(keys, run, name, found, most)
  local of_group, tokens = slots_of(keys, run, name), tokens_of(run, name) or 50
  local count = math.min(tokens, of_group.free, most, 50)
  if run.held[name] or tokens == 0 then
    run.throttled[name] = true
  elseif of_group.free <= 0 or of_group.limit == 1 then
    run.to_unpark[name], run.resumed[name] = of_group.free > 0 and 1 or nil, true
  elseif not append_parked(keys, name, count, found) then
    run.resumed[name] = true
  elseif count == tokens then
    run.throttled[name] = true
  end
end

-- Moves parked messages of groups that have tokens again to the stream: PARKED -> READY. A sweep moves at most most_moved messages in all.
local function resume(keys, run, most_moved)
  local found = {ids = {}, messages = {}}
  for n = run.next_resumable, #run.resumable do
    local most = most_moved - #run.ids - #found.ids
    if most <= 0 then
      break
    end
    resume_group(keys, run, run.resumable[n], found, most)
    run.next_resumable = n + 1
  end
  if #found.ids == 0 then
    return
  end
  local grouped, entries = redis.call('HMGET', keys.grouped, unpack(found.ids)), redis.call('HMGET', keys.entries, unpack(found.ids))
  local expired = expired_of(keys, run, found.ids)
  for n, message in ipairs(found.messages) do
    local id = found.ids[n]
    run.unparked[#run.unparked + 1] = message.member
    -- A script that stopped half-way may have left a member whose message is not parked: the sweep only removes it.
    if grouped[n] == message.due .. '\0' .. message.name and not entries[n] then
      choose(run, id)
      run.resumed_dues[#run.resumed_dues + 1] = message.due
      run.resumed_dues[#run.resumed_dues + 1] = id
      take_slot(run, slots_of(keys, run, message.name), message.name .. '\0' .. id)
      if not expired[n] then
        take_token(run, message.name)
      end
    end
  end
end
