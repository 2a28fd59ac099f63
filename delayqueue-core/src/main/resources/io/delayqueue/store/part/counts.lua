-- Stores how many messages a call has changed, so that a repeat of the call returns the same counts. The key done gets a member for each kind
-- of count: a word for the kind, and the token of the call. The score is the time until which Redis keeps the member, minus 1/1,024 ms for each
-- counted message.

-- Returns the argument of the functions below for a call. Also reads up to 100 members of done whose time has ended.
local function memory_of(done, token, now, window)
  local ended = redis.call('ZRANGE', done, '-inf', string.format('%.0f', now), 'BYSCORE', 'LIMIT', 0, 100)
  return {done = done, token = token, ends = now + window, ended = ended}
end

-- Returns the counts of an earlier run of this call, in the order of the words. Returns false if there was no earlier run, or if it counted
-- nothing.
local function recall(memory, words)
  local members, counts, any = {}, {}, false
  for n, word in ipairs(words) do
    members[n] = word .. '\0' .. memory.token
  end
  for n, score in ipairs(redis.call('ZMSCORE', memory.done, unpack(members))) do
    counts[n] = score and -tonumber(score) % 1 * 1024 or 0
    any = any or score
  end
  return any and counts
end

-- Stores the counts of this run, each up to 1,023, in done, in one write with the scores and members in kept.
local function remember(memory, words, counts, kept)
  for n, word in ipairs(words) do
    if counts[n] > 0 then
      kept[#kept + 1] = string.format('%.10f', memory.ends - counts[n] / 1024)
      kept[#kept + 1] = word .. '\0' .. memory.token
    end
  end
  if #memory.ended > 0 then
    redis.call('ZREM', memory.done, unpack(memory.ended))
  end
  redis.call('ZADD', memory.done, unpack(kept))
end
