-- Reads the failures of a message.

-- The number of failures, crashes and defers, the last settled entry, and the reason.
local function read_failure(failures, id)
  local failed, crashed, deferred, last, reason = string.match(redis.call('HGET', failures, id) or '',
    '^(%d+)|(%d+)|(%d+)|([^|]*)|(.*)$')
  return failed or 0, crashed or 0, deferred or 0, last or '', reason or ''
end
