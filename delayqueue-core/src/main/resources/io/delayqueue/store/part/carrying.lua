-- Refuses a call that would change a dead letter of a partition whose dead letters move to newer epochs. The caller first moves the dead
-- letter, and then makes the call again.

local function refuse_carrying()
  return redis.error_reply('CARRYING the dead letters to a newer epoch')
end
