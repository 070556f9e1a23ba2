-- Makes a process the host of a session without one.
-- KEYS: session, connection. ARGV: host, lease ms, record ms.
-- Answers the new epoch, or 0 if the session is unknown, closed, or has a live host.
local held = redis.call('HMGET', KEYS[1], 'epoch', 'closed')
if not held[1] or held[2] or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local epoch = redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HSET', KEYS[1], 'host', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return epoch
