-- Marks the time after a wipe, or after Redis was away, in which a missing session or lease proves nothing: its host
-- may have yet to return.
-- KEYS: known, settling. ARGV: ms to settle, whether Redis was away (1 or 0).
local wiped = redis.call('SETNX', KEYS[1], '1') == 1
if wiped or ARGV[2] == '1' then redis.call('SET', KEYS[2], '1', 'PX', ARGV[1]) end
return 1
