-- Replaces and postpones messages. Functions get a table of keys and the state of the call.
-- Needs: dead_member_of, expiry_of, free_slot, move_in_group, token_ends

-- Returns the answer that the first run of a call gave, if that run has replaced a message (only such a run stores its answer), else
-- or_else; and the due time to answer if the message is gone: unknown (-1) for a call that may postpone.
local function first_answer(keys, message, or_else)
  local word = message.limit and 'postponed' or message.policy == 'replace' and 'replaced'
  local answer = word and redis.call('ZSCORE', keys.done, word .. '\0' .. message.token) and word or or_else
  return answer, message.limit and -1 or message.asked_due
end

-- Plans to complete an earlier run that stopped after it had written the record of the new message. If the message has failures, it was
-- delivered after that run, and nothing is left to complete.
local function resume(keys, call, message, due)
  if (message.policy == 'replace' or message.limit) and not message.entry and not message.failure then
    local score = redis.call('ZSCORE', keys.scheduled, message.id)
    local expiry = expiry_of(message.expiry_spec, due)
    call.resumed[#call.resumed + 1] = {id = message.id, due = (score and tonumber(score) > due) and due,
      expiry = expiry and not redis.call('ZSCORE', keys.expiries, message.id) and expiry}
  end
end

-- Whether the new due time moves a message behind another message of its group. Uses the old due time in the record, because an earlier run
-- that stopped has not written the record.
local function is_passed(keys, message)
  local from = '(' .. message.name .. '\0' .. string.format('%016.0f', message.was_due) .. '\0' .. message.id
  return redis.call('ZLEXCOUNT', keys.groups, from, '(' .. message.member) > 0
end

-- Replaces the content and the due time of a message: READY, PENDING, DEAD, PARKED -> SCHEDULED.
local function replace(keys, call, message)
  local id, score, group = message.id, string.format('%016.0f', message.due), message.group
  local stays = message.entry and not message.is_pending and message.answer == 'postponed' and message.due <= call.now
    and not (group and is_passed(keys, message))
  local later = not message.score or message.due >= tonumber(message.score)
  redis.call('ZADD', keys.done, token_ends(message.was_token, call.now, call.ends), '\0' .. message.was_token,
    token_ends(message.token, call.now, call.ends), message.answer .. '\0' .. message.token)
  redis.call('HDEL', keys.failures, id)
  redis.call('ZREM', keys.expiries, id)
  -- If this run stops, scheduled must not have an earlier due time than the record: only an earlier due time is written after it.
  if later and not stays then
    redis.call('ZADD', keys.scheduled, score, id)
  end
  if group then
    move_in_group(keys, id, group, message.member, score)
  end
  if not stays then
    if message.entry then
      redis.call('HDEL', keys.entries, id)
      if not message.is_pending then
        redis.call('XDEL', keys.ready, message.entry)
      end
    end
    if group and message.death then
      redis.call('ZREM', keys.groups, dead_member_of(id, group))
    end
    redis.call('ZREM', keys.dead, id)
    if group then
      local was_next = message.score and tonumber(message.score) <= call.now
      call.unparked = call.unparked + free_slot(keys, id, group, was_next)
    end
  end
  redis.call('HSET', keys.messages, id, message.record)
  if not later then
    redis.call('ZADD', keys.scheduled, score, id)
  end
  if message.expiry then
    redis.call('ZADD', keys.expiries, string.format('%.1f', message.expiry), id)
  end
end
