-- Decides what happens to each message of a schedule call. Functions get a table of keys and the state of the call. Each function
-- returns an answer (one of the answers of schedule.lua) and a due time, or only an error of Redis.
-- Needs: expiry_of, first_answer, groups_of, is_held, is_lasting, member_of, read_lease, refuse_carrying, require_types, resume, take_slot

-- Decides on a message if a message with the same id is stored. Returns nothing if the stored message is to be replaced.
local function decide_on_stored(keys, call, message)
  local id, policy, record = message.id, message.policy, redis.call('HGET', keys.messages, message.id)
  local token = string.sub(record, 18, 28)
  if token == message.token then
    local due = tonumber(string.sub(record, 2, 17))
    call.taken[id] = true
    resume(keys, call, message, due)
    return (first_answer(keys, message, 'created')), due
  elseif message.was_accepted then
    call.taken_before[id] = true
    return first_answer(keys, message, 'superseded')
  elseif call.taken_before[id] then
    return 'duplicate', 0
  end
  local score, group = redis.call('ZSCORE', keys.scheduled, id), groups_of(keys, {id})[1]
  local is_parked = group and redis.call('ZSCORE', keys.parked, member_of(id, group))
  require_types('zset', keys.expiries)
  local is_dead = message.death and not message.entry and not score and not is_parked
  if policy == 'new' or (policy == 'keep' and not (message.entry and is_lasting(message.token))) or (is_dead and policy ~= 'replace') then
    return is_dead and 'dead' or 'duplicate', 0
  elseif call.is_carrying then
    return refuse_carrying()
  end
  if message.entry then
    local lease, refused = read_lease(keys.ready, message.entry)
    if refused then
      return refused
    end
    message.is_pending = lease ~= nil
  end
  if policy == 'fail' or policy == 'keep' then
    local state = message.entry and (message.is_pending and 'pending' or 'ready') or is_parked and 'parked' or 'scheduled'
    return policy == 'keep' and state == 'ready' and 'duplicate' or state, 0
  end
  message.was_token, message.was_due, message.score, message.group = token, tonumber(string.sub(record, 2, 17)), score, group
  message.answer = message.limit and 'postponed' or 'replaced'
  if message.limit and not message.is_pending then
    message.latest = tonumber(string.match(record, '^{"latest":"(%d+)"', 29))
    message.due = math.max(message.due, message.was_due)
  end
end

-- Decides on any message of the call, and adds the values that write_decided needs to it.
local function decide(keys, call, message)
  local id, name, policy, envelope = message.id, message.name, message.policy, message.envelope
  if call.taken[id] then
    return 'duplicate', 0
  end
  local is_elsewhere = call.is_closed and not is_held(keys, id, call.is_carrying and '' or name)
  if not is_elsewhere and redis.call('HEXISTS', keys.messages, id) == 1 then
    local answer, due = decide_on_stored(keys, call, message)
    if answer then
      return answer, due
    end
  elseif message.was_accepted then
    call.taken_before[id] = true
    return first_answer(keys, message, 'ended')
  elseif call.taken_before[id] then
    return 'duplicate', 0
  elseif (policy == 'keep' or policy == 'fail') and message.window and tonumber(message.window) > call.now then
    return 'done', 0
  elseif is_elsewhere then
    return 'elsewhere', 0
  end
  if message.limit then
    local latest = message.latest or (#policy == 16 and message.limit or call.now + message.limit)
    message.due = math.min(message.due, latest)
    envelope = message.token .. '{"latest":"' .. string.format('%016.0f', latest) .. string.sub(envelope, 39)
  end
  if message.due > call.now + call.max_delay then
    return 'too-far', 0
  end
  local expires_later
  message.expiry, expires_later = expiry_of(message.expiry_spec, message.due)
  if not expires_later then
    return 'expires', 0
  elseif call.is_draining then
    return 'draining', 0
  end
  local has_slot = message.group and redis.call('ZSCORE', keys.groups, member_of(id, message.group))
  call.taken[id] = true
  if not has_slot and not take_slot(keys, call, message) then
    return 'full', 0
  end
  local score = string.format('%016.0f', message.due)
  message.member, message.record = name .. '\0' .. score .. '\0' .. id, '1' .. score .. envelope
  message.is_planned, message.is_new = true, not message.was_token
  if message.is_new and call.groups[name] then
    table.insert(call.groups[name].added, message)
  end
  return message.answer or 'created', message.due
end
