#!lua flags=allow-oom
-- Keeps a process in the list of members (processes that consume queues) for some time, and removes members whose time has passed.
-- If no member is given, the script only returns the list.
-- ARGV[1] member (text, the name of the process, empty for none)
-- ARGV[2] time to live (ms, 0 to remove the member)
-- ARGV[3] queues (text, the queues that the process consumes)
-- ARGV[4] version (text, of the list that the caller has)
-- Returns {same or new (whether the list has another version than the caller's), now (us), version, 1 if this run has changed the
--   list, else 0, version of the epochs of all queues (number, 0 if no epochs have changed), then, if the list is new: the number
--   of members, for each member: name, since when it is listed (ms, text), name of its consumption (the set of queues that it
--   consumes); then for each consumption: its name, its queues}
-- The field of memberships whose name is empty contains the version of the list. Cost: O(members) if the list is new, else O(log
-- members).
local members, memberships, consumptions, epochs = unpack(KEYS)
local member, ttl, queues, version = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

-- include types

require_types('zset', members, 'hash', memberships, 'hash', consumptions)
-- If Redis has lost the version of the epochs, the number of epochs stands for it, because no process has this number as its
-- version.
local epochs_version = tonumber(redis.call('HGET', epochs, '') or redis.call('HLEN', epochs))
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local until_time = string.format('%.0f', now + ttl)
-- The list of consumptions (sets of queues) that members had before this run, and have no longer.
local changed, dropped = false, {}

-- If the clock of Redis has gone back, a member must not stay listed for longer. If the time of this member has passed although it
-- is listed, Redis was not reachable for some time, and all members get their full time again.
local function correct_times(own)
  local last = tonumber(redis.call('ZRANGE', members, 0, 0, 'REV', 'WITHSCORES')[2])
  if last > now + ttl or (own < now and own > now - 60000) then
    for _, name in ipairs(redis.call('ZRANGE', members, 0, -1)) do
      redis.call('ZADD', members, until_time, name)
    end
  end
end

local function drop_consumption(membership)
  dropped[#dropped + 1] = string.match(membership or '', ' (.*)$')
end

local function remove(name)
  drop_consumption(redis.call('HGET', memberships, name))
  redis.call('HDEL', memberships, name)
  redis.call('ZREM', members, name)
  changed = true
end

if member ~= '' and ttl > 0 then
  local listed_until = redis.call('ZSCORE', members, member)
  if listed_until then
    correct_times(tonumber(listed_until))
  end
  changed = redis.call('ZADD', members, until_time, member) == 1
  local own = redis.call('HGET', memberships, member)
  local since = own and string.match(own, '^(%d+) ') or string.format('%.0f', now)
  local consumption = redis.sha1hex(queues)
  if redis.call('HEXISTS', consumptions, consumption) == 0 then
    redis.call('HSET', consumptions, consumption, queues)
    changed = true
  end
  if own ~= since .. ' ' .. consumption then
    drop_consumption(own)
    redis.call('HSET', memberships, member, since .. ' ' .. consumption)
    changed = true
  end
  for _, name in ipairs(redis.call('ZRANGE', members, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1000)) do
    remove(name)
  end
elseif member ~= '' and redis.call('ZSCORE', members, member) then
  remove(member)
end

local stored = redis.call('HGET', memberships, '') or '0'
if changed then
  -- The version is a time in us, so that a list that Redis has lost and creates again has another version.
  stored = string.format('%.0f', math.max(time[1] * 1000000 + time[2], tonumber(stored) + 1))
  redis.call('HSET', memberships, '', stored)
end
-- Leaves out members whose time has passed, even if the refresh of a member has not removed them yet.
local names = redis.call('ZRANGE', members, string.format('%.0f', now), '+inf', 'BYSCORE', 'LIMIT', 0, 1000)
local same = stored == version and #names == redis.call('ZCARD', members)
local reply = {same and 'same' or 'new', time[1] * 1000000 + time[2], stored, changed and 1 or 0, epochs_version}
if same then
  return reply
end
reply[6] = #names
local about = #names > 0 and redis.call('HMGET', memberships, unpack(names)) or {}
local used, listed = {}, {}
for n, name in ipairs(names) do
  local since, id = string.match(about[n] or '0 ', '^(%d+) (.*)$')
  reply[#reply + 1] = name
  reply[#reply + 1] = since
  reply[#reply + 1] = id
  if not used[id] then
    used[id] = true
    listed[#listed + 1] = id
  end
end
for n, text in ipairs(#listed > 0 and redis.call('HMGET', consumptions, unpack(listed)) or {}) do
  reply[#reply + 1] = listed[n]
  reply[#reply + 1] = text or ''
end
for _, id in ipairs(dropped) do
  if not used[id] then
    redis.call('HDEL', consumptions, id)
  end
end
return reply
