-- Gives a message new content and a new due time: READY, PENDING, DEAD, PARKED -> SCHEDULED.
-- Needs: dead, done, entries, entry_of, expiries, expiry_of, failure_of, failures, free_place, groups, messages,
--   move_in_group, now, ready, reply, resumed, scheduled, text, window

-- The answer of the first run of a call whose message is stored; only a run that replaces stores its answer.
local function first_answer(policy, token)
  local word = tonumber(policy) and 'postponed' or policy == 'replace' and 'replaced'
  return word and redis.call('ZSCORE', done, word .. '\0' .. token) and word or 'created'
end

-- Completes a run that replaced and stopped after the record. Failures mean that the message has moved on since.
local function resume(n, id, due)
  local policy = ARGV[6 * n + 4]
  if (policy == 'replace' or tonumber(policy)) and not entry_of[n] and not failure_of[n] then
    local place = redis.call('ZSCORE', scheduled, id)
    local expiry = expiry_of(ARGV[6 * n + 3], due)
    resumed[#resumed + 1] = {id = id, due = (place and tonumber(place) > due) and due,
      expiry = expiry and not redis.call('ZSCORE', expiries, id) and expiry}
  end
  return due
end

-- Whether the new due time puts a message behind another one of its group. Uses the record, which a run that stopped has not
-- written.
local function is_passed(plan)
  local from = '(' .. plan.name .. '\0' .. text(plan.was_due) .. '\0' .. plan.id
  return redis.call('ZLEXCOUNT', groups, from, '(' .. plan.member) > 0
end

local function replace(plan)
  local id, score, ends, group = plan.id, string.format('%.0f', plan.due), string.format('%.0f', now + window), plan.group
  local stays = plan.entry and not plan.pending and plan.answer == 'postponed' and plan.due <= now
    and not (group and is_passed(plan))
  local later = not plan.place or plan.due >= tonumber(plan.place)
  redis.call('ZADD', done, ends, '\0' .. plan.was_token, ends, plan.answer .. '\0' .. plan.token)
  redis.call('HDEL', failures, id)
  redis.call('ZREM', expiries, id)
  -- An earlier score must never exist together with the record of a later due time.
  if later and not stays then
    redis.call('ZADD', scheduled, score, id)
  end
  if group then
    move_in_group(id, group, plan.member, text(plan.due))
  end
  if not stays then
    if plan.entry then
      redis.call('HDEL', entries, id)
      if not plan.pending then
        redis.call('XDEL', ready, plan.entry)
      end
    end
    redis.call('ZREM', dead, id)
    if group then
      reply[5] = reply[5] + free_place(id, group, plan.place and tonumber(plan.place) <= now)
    end
  end
  redis.call('HSET', messages, id, plan.record)
  if not later then
    redis.call('ZADD', scheduled, score, id)
  end
  if plan.expiry then
    redis.call('ZADD', expiries, string.format('%.1f', plan.expiry), id)
  end
end
