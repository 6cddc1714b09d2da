-- KEYS: the election. ARGV: the lowest number the record may get, the record before and after its number, and the
-- milliseconds it lasts. Answers 'stored' or 'exists', and what is stored, or 'foreign'.
-- No record is larger; what is, is not worth carrying around.
if redis.call('STRLEN', KEYS[1]) > 65536 then
  return {'foreign'}
end
local stored = redis.call('GET', KEYS[1])
if stored then
  return {'exists', stored}
end
-- Microseconds are below 2^53 until 2255, so a double holds them exactly; tostring would round them.
local time = redis.call('TIME')
local number = math.max(time[1] * 1000000 + time[2], tonumber(ARGV[1]))
local record = ARGV[2] .. string.format('%.0f', number) .. ARGV[3]
redis.call('SET', KEYS[1], record, 'PX', ARGV[4])
-- The record is written: a refusal to publish must not make it look as if it were not. Who is not told, polls.
redis.pcall('PUBLISH', KEYS[1], record)
return {'stored', record}
