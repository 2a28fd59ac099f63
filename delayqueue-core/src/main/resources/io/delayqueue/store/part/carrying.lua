-- Refuses calls that change dead letters while they are being carried to a newer epoch.

local function refuse_carrying()
  return redis.error_reply('CARRYING the dead letters to a newer epoch, try again')
end
