-- Refuses calls that would change the dead letters of a partition while a process moves them to a newer epoch.

local function refuse_carrying()
  return redis.error_reply('CARRYING the dead letters to a newer epoch, try again')
end
