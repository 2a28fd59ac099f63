#!lua
-- Adds what a process has counted of a queue since its last call to the trend of the queue.
-- ARGV[1] process (text, the name of the calling process, without blanks)
-- ARGV[2] run (number of this call of the process, from 1; a repeat has the same number)
-- ARGV[3] spans (text: for each span the seconds of a bucket and the number of buckets, separated by blanks)
-- ARGV[2 + 2n] name (text: s scheduled, h handled, f failed, d dead-lettered, and l with a number for a range of lateness are added
--   up; of m, the longest lateness in ms, the largest value stays; of w, the waiting messages, the last one)
-- ARGV[3 + 2n] figure (number)
-- Returns {'added'}, also if an earlier run of the same call has added the figures.
-- Cost: O(figures + processes that have called in the last 15 minutes). Replaces buckets whose time has passed, so that the key is
-- bounded.
local trends = unpack(KEYS)
local process, run, spans = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local now = tonumber(redis.call('TIME')[1])
local fields, bucket_of = {}, {}
for size, buckets in string.gmatch(spans, '(%d+) (%d+)') do
  local bucket = math.floor(now / size)
  fields[#fields + 1] = size .. ':' .. string.format('%.0f', bucket % buckets)
  bucket_of[#bucket_of + 1] = string.format('%.0f', bucket)
end
local stored = redis.call('HMGET', trends, 'callers', unpack(fields))

local callers = {process .. ' ' .. ARGV[2] .. ' ' .. string.format('%.0f', now)}
for name, last, seen in string.gmatch(stored[1] or '', '(%S+) (%d+) (%d+)') do
  if name == process and tonumber(last) >= run then
    return {'added'}
  elseif name ~= process and tonumber(seen) > now - 900 then
    callers[#callers + 1] = name .. ' ' .. last .. ' ' .. seen
  end
end

local written = {'callers', table.concat(callers, ' ')}
for n, bucket in ipairs(bucket_of) do
  local names, figures = {}, {}
  local of_bucket, known = string.match(stored[n + 1] or '', '^(%d+)(.*)$')
  if of_bucket == bucket then
    for name, figure in string.gmatch(known, '(%a%d*)=(%d+)') do
      names[#names + 1], figures[name] = name, tonumber(figure)
    end
  end
  for i = 4, #ARGV, 2 do
    local name, figure = ARGV[i], tonumber(ARGV[i + 1])
    if not figures[name] then
      names[#names + 1], figures[name] = name, 0
    end
    figures[name] = name == 'w' and figure or name == 'm' and math.max(figures[name], figure) or figures[name] + figure
  end
  local words = {bucket}
  for _, name in ipairs(names) do
    words[#words + 1] = name .. '=' .. string.format('%.0f', figures[name])
  end
  written[#written + 1], written[#written + 2] = fields[n], table.concat(words, ' ')
end
redis.call('HSET', trends, unpack(written))
return {'added'}
