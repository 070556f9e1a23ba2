-- Renews a host's lease on a session, and registers the session again after a wipe.
-- KEYS: session, connection. ARGV: registration, host, epoch, lease ms, record ms.
-- Answers 0 if the session is closed or has another host, otherwise 1.
local held = redis.call('HMGET', KEYS[1], 'epoch', 'host', 'closed')
local mine = tonumber(ARGV[3])
local theirs = tonumber(held[1])
if held[3] then return 0 end
if theirs and (theirs > mine or (theirs == mine and held[2] ~= ARGV[2])) then return 0 end
redis.call('HSET', KEYS[1], 'registration', ARGV[1], 'host', ARGV[2], 'epoch', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[4])
return 1
