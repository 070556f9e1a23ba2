-- Counts a request in two GCRA buckets: the deployment's and the caller's. A refused request uses up neither.
-- KEYS: the buckets. ARGV: for each, the interval of requests in microseconds, and the burst.
-- Answers {number of the refusing bucket or 0, microseconds to wait, remaining requests of the caller, microseconds
-- until the caller's bucket is full}.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

local function take(n)
  local interval, burst = tonumber(ARGV[2 * n - 1]), tonumber(ARGV[2 * n])
  local full_at = math.max(tonumber(redis.call('GET', KEYS[n]) or 0), now) + interval
  local room = interval * burst - (full_at - now)
  return full_at, room, interval
end

local function keep(key, full_at)
  redis.call('SET', key, string.format('%.0f', full_at), 'PX', math.ceil((full_at - now) / 1000) + 1000)
end

local of_all, all_room = take(1)
local of_caller, room, interval = take(2)
if all_room < 0 then
  return {1, -all_room, 0, of_all - now}
end
if room < 0 then
  return {2, -room, 0, of_caller - now}
end
keep(KEYS[1], of_all)
keep(KEYS[2], of_caller)
return {0, 0, math.floor(room / interval), of_caller - now}
