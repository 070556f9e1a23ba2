-- Puts a message into the inbox of the process that serves a connection.
-- KEYS: connection. ARGV: prefix of inboxes, field, message, most entries, lifetime ms.
-- Answers that process, or nothing if no process serves the connection.
local host = redis.call('GET', KEYS[1])
if not host then return nil end
local inbox = ARGV[1] .. host
redis.call('XADD', inbox, 'MAXLEN', '~', ARGV[4], '*', ARGV[2], ARGV[3])
redis.call('PEXPIRE', inbox, ARGV[5])
return host
