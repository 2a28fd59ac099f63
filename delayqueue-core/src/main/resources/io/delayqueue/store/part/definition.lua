-- Reads and writes definitions of recurring schedules: the values of the hash recurring. The first line of a definition is its state. A line
-- with the group and a line with the fields follow, then an envelope without a call token. Only Java reads the fields. The state has eleven
-- words: (1) 1, the version of this form; (2) generation (text); (3) when the definition was stored (us); (4), (5) since when it is paused,
-- and suspended (ms, 0 if it is not); (6) the last instant with an occurrence (text, '-' if there was none; while a script stores or removes
-- the occurrence of one instant: '-' and this instant; while an advance stores occurrences: the last instant before the advance, '/', and
-- the last instant of the advance); (7), (8) the numbers of missed and of skipped instants; (9) how often the definition was replaced; (10)
-- 1 while a process moves it to a newer epoch, 2 until older definitions of its key are removed from other partitions, else 0; (11) the
-- time from which an interval without a begin counts (us).

-- Returns an error if a newer version of the library wrote the definition, else nil.
local function refuse_newer(value)
  local version = string.match(value or '', '^(%d+) ')
  return version and version ~= '1' and redis.error_reply('NEWER definition of a recurring schedule is stored') or nil
end

-- Reads a definition from its form in Redis. Returns nil if there is none, or if a newer version or another program wrote it.
local function read_definition(value)
  local state, at = string.match(value or '', '^1 ([^\n]*)\n()')
  if not state then
    return nil
  end
  local words, body = {}, string.sub(value, at)
  for word in string.gmatch(state, '%S+') do
    words[#words + 1] = word
  end
  local missed, skipped, replaced = tonumber(words[6]), tonumber(words[7]), tonumber(words[8])
  local group, fields, envelope = string.match(body, '^([^\n]*)\n([^\n]*)\n()')
  if not (missed and skipped and replaced and words[10] and envelope) then
    return nil
  end
  local last, storing = string.match(words[5], '^([^/]*)/?(.*)$')
  return {generation = words[1], stored = words[2], paused = words[3], suspended = words[4], last = last,
    storing = storing, missed = missed, skipped = skipped, replaced = replaced, is_carried = words[9] == '1',
    is_unchecked = words[9] == '2', anchor = words[10],
    body = body, group = group, fields = fields, envelope = string.sub(body, envelope)}
end

local function state_of(definition)
  return table.concat({'1', definition.generation, definition.stored, definition.paused, definition.suspended,
    definition.last .. (definition.storing ~= '' and '/' .. definition.storing or ''),
    string.format('%.0f', definition.missed), string.format('%.0f', definition.skipped),
    string.format('%.0f', definition.replaced), definition.is_carried and '1' or definition.is_unchecked and '2' or '0', definition.anchor}, ' ')
end

-- Returns a definition in the form that Redis stores.
local function definition_of(definition)
  return state_of(definition) .. '\n' .. definition.body
end

-- Returns a definition as text without its envelope, which has the payload.
local function shown_of(definition)
  return state_of(definition) .. '\n' .. definition.group .. '\n' .. definition.fields
end

-- Returns the id of the occurrence (message) of an instant, nil without an instant.
local function occurrence_id(key, definition, instant)
  return instant and key .. '@' .. instant .. (definition.group ~= '' and '\1' .. definition.group or '')
end

-- Returns the instant of the last occurrence of a schedule, nil if there was none.
local function last_of(definition)
  return string.match(definition.last, '^%-?(%d.*)$')
end

-- Returns the instant of the occurrence that may be stored before it is due, nil if there is none.
local function ahead_of(definition)
  return definition.storing ~= '' and definition.storing or last_of(definition)
end

-- Returns the instant whose occurrence a script has begun to store or to remove, nil if there is none.
local function started_of(definition)
  return definition.storing ~= '' and definition.storing or string.match(definition.last, '^%-(%d.*)$')
end

-- Whether the schedule is paused or suspended, and so has no occurrences for now.
local function is_stopped(definition)
  return definition.paused ~= '0' or definition.suspended ~= '0'
end
