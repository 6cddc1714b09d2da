-- KEYS: the election. Answers with the record and the milliseconds it has left (-1: it does not expire), with nil
-- if there is none, or 'foreign'.
-- No record is larger; what is, is not worth carrying around.
if redis.call('STRLEN', KEYS[1]) > 65536 then
  return {'foreign'}
end
local stored = redis.call('GET', KEYS[1])
if not stored then
  return false
end
return {stored, redis.call('PTTL', KEYS[1])}
