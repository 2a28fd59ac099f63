-- Applies the rate limits of groups in a sweep. Each group has a bucket of tokens, which Redis stores as the time at which the bucket is
-- full again. Functions get a table of keys (holds, rates, throttled), and the state of the sweep (run).
-- Needs: read_holds

-- Reads the buckets of groups that this sweep has not read yet.
local function read_buckets(keys, run, names)
  local unread = {}
  for _, name in ipairs(names) do
    local interval, burst = unpack(run.rates[name] or run.rate)
    if interval > 0 and not run.buckets[name] then
      run.buckets[name] = {interval = interval, burst = burst}
      unread[#unread + 1] = name
    end
  end
  local full_at = #unread > 0 and redis.call('ZMSCORE', keys.rates, unpack(unread)) or {}
  for n, name in ipairs(unread) do
    local bucket = run.buckets[name]
    local stored, empty = tonumber(full_at[n] or 0), run.micros + bucket.burst * bucket.interval
    -- If the clock of Redis has gone back, the stored time is too late: a bucket is not more than empty.
    bucket.full_at, bucket.is_changed = math.min(math.max(stored, run.micros), empty), stored > empty + 1
  end
end

-- Reads when the holds of groups end, if any group may be held.
local function read_held(keys, run, names)
  if run.are_held then
    read_holds(keys, run.held, names, tonumber(run.now))
  end
end

-- Returns how many tokens a group has, nil if it has no rate.
local function tokens_of(run, name)
  local bucket = run.buckets[name]
  return bucket and math.max(0, math.floor(bucket.burst - (bucket.full_at - run.micros) / bucket.interval + 1e-6))
end

local function take_token(run, name)
  local bucket = run.buckets[name]
  if bucket then
    bucket.full_at, bucket.is_changed = bucket.full_at + bucket.interval, true
  end
end

-- Writes buckets from which the sweep took tokens, and buckets whose stored time was too late.
local function write_buckets(keys, run)
  local full = {}
  for name, bucket in pairs(run.buckets) do
    if bucket.is_changed then
      full[#full + 1] = string.format('%.0f', math.ceil(bucket.full_at))
      full[#full + 1] = name
    end
  end
  if #full > 0 then
    redis.call('ZADD', keys.rates, unpack(full))
  end
end

-- Writes from when on sweeps unpark the messages of throttled groups: when a group has its next token and is not held any more.
local function write_throttled(keys, run)
  local next_token, resumed = {}, {}
  for name in pairs(run.throttled) do
    local bucket = run.buckets[name]
    local next_at = bucket and math.max(bucket.full_at - (bucket.burst - 1) * bucket.interval, run.micros) or 0
    next_token[#next_token + 1] = string.format('%.0f', math.max(math.ceil(next_at / 1000), run.held[name] or 0))
    next_token[#next_token + 1] = name
  end
  for name in pairs(run.resumed) do
    resumed[#resumed + 1] = name
  end
  if run.late then
    redis.call('ZADD', keys.throttled, 'XX', 'LT', unpack(run.late))
  end
  if #next_token > 0 then
    redis.call('ZADD', keys.throttled, unpack(next_token))
  end
  if #resumed > 0 then
    redis.call('ZREM', keys.throttled, unpack(resumed))
  end
end

-- Returns the latest time at which a group that is throttled now can get its next token or reach the end of its hold (ms).
local function latest_resume(run, name)
  local interval = unpack(run.rates[name] or run.rate)
  return math.max(tonumber(run.now) + math.ceil(interval / 1000) + 1, run.held[name] or 0)
end

-- Checks whether a throttled group waits for longer than latest_resume, because its rate was raised or removed, or the clock of Redis has
-- gone back. If so, finds more such groups, and makes them all resume now.
local function find_late(keys, run, name, at)
  local latest = latest_resume(run, name)
  if tonumber(at) <= latest then
    return
  end
  local from = string.format('(%.0f', latest)
  local behind = redis.call('ZRANGE', keys.throttled, from, '+inf', 'BYSCORE', 'LIMIT', 0, run.batch, 'WITHSCORES')
  local names = {name}
  for n = 1, #behind, 2 do
    names[#names + 1] = behind[n]
  end
  read_held(keys, run, names)
  run.late = {run.now, name}
  for n = 1, #behind, 2 do
    if tonumber(behind[n + 1]) > latest_resume(run, behind[n]) then
      run.late[#run.late + 1], run.late[#run.late + 2] = run.now, behind[n]
    end
  end
end
