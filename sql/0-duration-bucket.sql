-- The bucket of a histogram that a duration in seconds falls into: from `low`, below `high`. Times are whole seconds, so 0 to 1
-- holds what took 0 s; from there two buckets double the time.
-- columns:
-- seconds: parameter: the duration
create or replace macro duration_bucket(seconds) as
  case
    when seconds < 1 then {'low': 0e0, 'high': 1e0}
    when seconds >= 1 then {
      'low': pow(2, floor(2 * log2(seconds)) / 2), 'high': pow(2, floor(2 * log2(seconds)) / 2 + 0.5)
    }
  end
