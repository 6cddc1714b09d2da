-- KEYS: the election. ARGV: as for create.lua, then the record that is to be replaced, as it was read. Renews, takes over
-- and releases: a release writes a record without a holder. Answers 'stored' or 'changed', and what is stored, 'absent',
-- or 'foreign'.
-- No record is larger; what is, is not worth carrying around.
if redis.call('STRLEN', KEYS[1]) > 65536 then
  return {'foreign'}
end
local stored = redis.call('GET', KEYS[1])
if not stored then
  return {'absent'}
end
-- The whole record, its number included: two of one holder differ, so a release that was delayed frees no later term.
-- A version that was never read is sent as nothing, and fits not even that.
if stored ~= ARGV[5] or stored == '' then
  return {'changed', stored}
end
-- Microseconds are below 2^53 until 2255, so a double holds them exactly; tostring would round them.
local time = redis.call('TIME')
local number = math.max(time[1] * 1000000 + time[2], tonumber(ARGV[1]))
local record = ARGV[2] .. string.format('%.0f', number) .. ARGV[3]
redis.call('SET', KEYS[1], record, 'PX', ARGV[4])
-- The record is written: a refusal to publish must not make it look as if it were not. Who is not told, polls.
redis.pcall('PUBLISH', KEYS[1], record)
return {'stored', record}
