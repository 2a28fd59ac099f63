-- The usual case, which ends the script here: all ids are unknown, and no group is full. Remains of an earlier run, even only a
-- member of scheduled, are left to the rest of the script.
-- Needs: all_new, any_expiry, commit, death_of, draining_since, entry_of, expiry_of, failure_of, groups, ids, is_new_head,
--   laid_out, left_of, max_delay, messages, none_until, now, quota, scheduled, stored_partitions, time, token_window_of,
--   window_of

do
  -- A new id can have no record but one of this same call, so these are no larger than the arguments.
  local record_of = all_new and redis.call('HMGET', messages, unpack(ids))
  local places, records, expiring, memberships, members = {}, {}, {}, {}, {}
  local counts, seen, first, first_score = {}, {}, math.huge, nil

  -- Whether message n is a usual case; then all its writes are prepared.
  local function plan(n, id)
    local at = 6 * n
    local spec, name, policy = ARGV[at + 1], ARGV[at + 2], ARGV[at + 4]
    local score, due = spec, tonumber(spec)
    if string.byte(spec) == 43 then
      due = now + due
      score = string.format('%016.0f', due)
    end
    if token_window_of[n] or left_of[n] or due > now + max_delay then
      return false
    end
    if record_of then
      if record_of[n] then
        return false
      end
    elseif entry_of[n] or failure_of[n] or death_of[n] or window_of[n] or seen[id] or tonumber(policy)
        or redis.call('HEXISTS', messages, id) == 1 then
      return false
    else
      seen[id] = true
    end
    if any_expiry then
      local expiry, expires_later = expiry_of(ARGV[at + 3], due)
      if not expires_later then
        return false
      elseif expiry then
        expiring[#expiring + 1] = string.format('%.1f', expiry)
        expiring[#expiring + 1] = id
      end
    end
    if name ~= '' then
      if quota > 0 then
        counts[name] = 1 + (counts[name] or redis.call('ZLEXCOUNT', groups, '[' .. name .. '\0', '(' .. name .. '\1'))
        if counts[name] > quota then
          return false
        end
      end
      memberships[#memberships + 1] = id
      memberships[#memberships + 1] = score .. '\0' .. name
      members[#members + 1] = 0
      members[#members + 1] = name .. '\0' .. score .. '\0' .. id
    end
    if due < first then
      first, first_score = due, score
    end
    places[2 * n - 1] = score
    places[2 * n] = id
    records[2 * n - 1] = id
    records[2 * n] = '1' .. score .. ARGV[at + 5]
    return true
  end

  local is_usual = laid_out and stored_partitions and not draining_since
  for n, id in ipairs(ids) do
    is_usual = is_usual and plan(n, id)
  end
  if is_usual then
    is_new_head = none_until(first_score)
  end
  if is_usual and redis.call('ZADD', scheduled, unpack(places)) == #ids then
    commit(expiring, memberships, members, records)
    return {time[1] * 1000000 + time[2], is_new_head and 1 or 0}
  end
end
