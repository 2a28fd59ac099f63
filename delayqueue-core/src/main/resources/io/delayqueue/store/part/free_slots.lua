-- Searches for groups with parked messages and free slots. Functions get a table of keys (active, holds, parked, throttled), and the state of
-- the sweep (run).
-- Needs: find_late, read_held, slots_of

-- Whether the parked messages of a group wait for a token or the end of a hold.
local function is_resumed_later(keys, run, name)
  read_held(keys, run, {name})
  local at = run.any_throttled and redis.call('ZSCORE', keys.throttled, name)
  if at and not run.late then
    find_late(keys, run, name, at)
  end
  return run.held[name] or at
end

-- Checks a few groups for free slots that a stopped script has not given to parked messages; returns the last of them, empty
-- if no more follow.
local function find_free_slots(keys, run, from_group)
  local from, name = from_group == '' and '-' or '(' .. from_group .. '\1', ''
  for _ = 1, (run.has_rates or run.are_held) and 2 or 20 do
    local first = redis.call('ZRANGE', keys.parked, from, '+', 'BYLEX', 'LIMIT', 0, 1)[1]
    if not first then
      return ''
    end
    name = string.match(first, '^(%Z*)')
    from = '(' .. name .. '\1'
    local free = slots_of(keys, run, name).free
    if free > 0 and not run.is_paused_or_held and not is_resumed_later(keys, run, name) then
      run.to_unpark[name] = math.min(free, 50)
    end
  end
  return name
end
