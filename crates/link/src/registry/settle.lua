-- Marks the time after a wipe or an outage of Redis in which a missing session or lease proves nothing: its host may
-- still register it again.
-- KEYS: known, settling. ARGV: ms to settle, 1 after an outage or 0.
local wiped = redis.call('SETNX', KEYS[1], '1') == 1
if wiped or ARGV[2] == '1' then redis.call('SET', KEYS[2], '1', 'PX', ARGV[1]) end
return 1
