-- The definitions of recurring schedules: a line of state, then lines with the group and the fields, which only Java reads, then
-- an envelope without its call token. The words of the state: version (1), generation (text), stored (us), paused and suspended
-- since (ms, 0 if it is not), last instant with an occurrence (text, - if there was none; after a - while that occurrence is stored
-- or removed; before a / and the next one while an advance stores that), missed and skipped instants, how often it was replaced, 1
-- while it is carried to a newer epoch, 2 until older definitions of its key have been removed from other partitions, else 0.

-- The refusal of a definition that a newer version wrote, nil for any other value.
local function refuse_newer(value)
  local version = string.match(value or '', '^(%d+) ')
  return version and version ~= '1' and redis.error_reply('NEWER definition of a recurring schedule is stored') or nil
end

-- The definition, nil if there is none, or one that a newer version or another program wrote.
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
  if not (missed and skipped and replaced and envelope) then
    return nil
  end
  local last, storing = string.match(words[5], '^([^/]*)/?(.*)$')
  return {generation = words[1], stored = words[2], paused = words[3], suspended = words[4], last = last,
    storing = storing, missed = missed, skipped = skipped, replaced = replaced, is_carried = words[9] == '1',
    is_unchecked = words[9] == '2',
    body = body, group = group, fields = fields, envelope = string.sub(body, envelope)}
end

local function state_of(definition)
  return table.concat({'1', definition.generation, definition.stored, definition.paused, definition.suspended,
    definition.last .. (definition.storing ~= '' and '/' .. definition.storing or ''),
    string.format('%.0f', definition.missed), string.format('%.0f', definition.skipped),
    string.format('%.0f', definition.replaced), definition.is_carried and '1' or definition.is_unchecked and '2' or '0'}, ' ')
end

-- The form in Redis.
local function definition_of(definition)
  return state_of(definition) .. '\n' .. definition.body
end

-- The definition without its payload.
local function shown_of(definition)
  return state_of(definition) .. '\n' .. definition.group .. '\n' .. definition.fields
end

-- The id of its last occurrence, nil if there was none.
local function last_id_of(key, definition)
  local last = string.match(definition.last, '^%-?(%d.*)$')
  return last and key .. '@' .. last
end

-- The id of the one that may be stored ahead, nil if there is none.
local function ahead_id_of(key, definition)
  return definition.storing ~= '' and key .. '@' .. definition.storing or last_id_of(key, definition)
end

-- The instant whose occurrence a call has begun to store or to remove, nil if there is none.
local function started_of(definition)
  return definition.storing ~= '' and definition.storing or string.match(definition.last, '^%-(%d.*)$')
end

-- Whether it has no occurrences for now.
local function is_stopped(definition)
  return definition.paused ~= '0' or definition.suspended ~= '0'
end
