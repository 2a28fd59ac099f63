#!lua flags=no-writes
-- Lists scheduled messages or dead letters, the earliest first, beginning behind a given position.
-- ARGV[1] of (state of the messages to list: scheduled or dead)
-- ARGV[2] score (number that an earlier run returned; empty to begin)
-- ARGV[3] id (bytes; score and id are the position; the message may have been removed since)
-- ARGV[4] limit (messages, 1 to 250)
-- ARGV[5] scan (maximum number of messages to read, from ARGV[4] to 250)
-- ARGV[6] reason (code of a dead letter's reason, empty for any)
-- ARGV[7] bound (score behind which the list ends; 'last' for the score of the message that is last now, empty for none)
-- ARGV[8] prefix (bytes with which the id of a listed message begins, empty for any id)
-- Returns {more (if messages follow those that were read) or end, score and id of the last message that was read (empty if there
--   was none), bound (score, empty for none), then for each message: id, score (ms), failure (text, may be empty)}
-- Limits: a reason that this script cannot read counts as UNKNOWN. Cost: O(log N x log N + scan). Never reads a record.
local scheduled, failures, dead = unpack(KEYS)
local of, score, id, limit, scan, reason = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local bound, prefix = ARGV[7], ARGV[8]
local source = of == 'dead' and dead or scheduled

-- include bytes

local function rank_behind()
  if score == '' then
    return 0
  end
  local rank = redis.call('ZRANK', source, id)
  if rank and tonumber(redis.call('ZSCORE', source, id)) == tonumber(score) then
    return rank + 1
  end
  local low, high = redis.call('ZCOUNT', source, '-inf', '(' .. score), redis.call('ZCOUNT', source, '-inf', score)
  for _ = 1, 64 do
    if low >= high then
      break
    end
    local middle = math.floor((low + high) / 2)
    if follows(redis.call('ZRANGE', source, middle, middle)[1], id) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local function word_of(failure)
  return failure and string.match(failure, '^%d+|%d+|%d+|[^|]*|([^|]*)|[^|]*|') or 'UNKNOWN'
end

if bound == 'last' then
  bound = redis.call('ZRANGE', source, -1, -1, 'WITHSCORES')[2] or ''
end
local count = bound == '' and redis.call('ZCARD', source) or redis.call('ZCOUNT', source, '-inf', bound)
local first = rank_behind()
local found = first < count and redis.call('ZRANGE', source, first, math.min(first + scan, count) - 1, 'WITHSCORES') or {}
local ids = {}
for i = 1, #found, 2 do
  ids[#ids + 1] = found[i]
end
local failure_of = #ids > 0 and redis.call('HMGET', failures, unpack(ids)) or {}
local reply, read, listed = {'end', '', '', bound}, 0, 0
for n, found_id in ipairs(ids) do
  if listed == limit then
    break
  end
  read = n
  if (reason == '' or word_of(failure_of[n]) == reason) and string.sub(found_id, 1, #prefix) == prefix then
    listed = listed + 1
    reply[#reply + 1] = found_id
    reply[#reply + 1] = tonumber(found[2 * n])
    reply[#reply + 1] = failure_of[n] or ''
  end
end
if read > 0 then
  reply[1] = (first + read < count) and 'more' or 'end'
  reply[2], reply[3] = found[2 * read], ids[read]
end
return reply
