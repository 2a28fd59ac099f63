-- Reads the failed deliveries of a message.

-- Returns the numbers of failures, crashes and defers of a message, the stream entry that was settled last, and the last reason, from the
-- value of the message in failures (false if it has none).
local function read_failure(value)
  local failed, crashed, deferred, last, reason = string.match(value or '', '^(%d+)|(%d+)|(%d+)|([^|]*)|(.*)$')
  return failed or 0, crashed or 0, deferred or 0, last or '', reason or ''
end
