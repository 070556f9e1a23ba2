-- Makes a process the host of a session that lost its own.
-- KEYS: session, connection. ARGV: host, lease ms, record ms.
-- Answers the new epoch, or 0 where there is no such session or it has a live host.
local held = redis.call('HMGET', KEYS[1], 'epoch', 'closed')
if not held[1] or held[2] or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local epoch = redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HSET', KEYS[1], 'host', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return epoch
