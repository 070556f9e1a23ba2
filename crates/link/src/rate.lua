-- Counts a request in GCRA buckets: that of all callers, and the caller's own. A refused request uses up none.
-- KEYS: the buckets, that of all callers first. ARGV: 1 for a stranger, else 0; then for each bucket the request's cost
-- and the bucket's room in microseconds, and 1 if the cost may exceed the room that is left, else 0.
-- Answers {number of the refusing bucket or 0, microseconds to wait, microseconds until each own bucket is full...}.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local full_at = redis.call('MGET', unpack(KEYS))
local answer = {0, 0}
local after = {}
local used = tonumber(ARGV[1])

local function charge(n)
  local cost, room = tonumber(ARGV[3 * n - 1]), tonumber(ARGV[3 * n])
  local before = math.max(tonumber(full_at[n] or 0) - now, 0)
  after[n] = before + cost
  return before, cost, room
end

for n = 2, #KEYS do
  local before, cost, room = charge(n)
  local over = after[n] - room
  if ARGV[3 * n + 1] == '1' then over = before > 0 and before - room or 0 end
  if over > 0 then return {n, math.ceil(over)} end
  used = math.max(used, math.min(before / room, 1))
  answer[n + 1] = after[n]
end
-- The share of this caller, in whole requests: all for one that has used nothing, half for one that has used up its own.
local _, cost, room = charge(1)
local share = math.ceil(room * (1 - used / 2) / cost) * cost
if after[1] > share then return {1, math.ceil(after[1] - share)} end
for n, key in ipairs(KEYS) do
  redis.call('SET', key, string.format('%.0f', now + after[n]), 'PX', math.ceil(after[n] / 1000) + 1000)
end
return answer
