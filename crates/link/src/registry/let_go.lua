-- Ends a host's lease on a connection, unless another host has it.
-- KEYS: connection. ARGV: host.
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
