-- The fields of XINFO GROUPS for the consumer group, such as consumers, pending and last-delivered-id; nil if there is none.
-- Needs: ready
local readers
do
  local all = redis.pcall('XINFO', 'GROUPS', ready)
  if all.err and not string.find(all.err, 'no such key', 1, true) then
    return all
  end
  for _, group in ipairs(all) do
    local about = {}
    for i = 1, #group, 2 do
      about[group[i]] = group[i + 1]
    end
    if about.name == 'consumers' then
      readers = about
    end
  end
end
