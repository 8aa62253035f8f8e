-- Histogram bucket of a duration, from `low` to below `high`. The bounds double with every two buckets. A zero duration
-- has its own bucket, from 0 to 0.
-- columns:
-- seconds: parameter: the duration
create or replace macro duration_bucket(seconds) as
  case
    when seconds = 0 then {'low': 0e0, 'high': 0e0}
    when seconds > 0 then {
      'low': pow(2, floor(2 * log2(seconds)) / 2), 'high': pow(2, floor(2 * log2(seconds)) / 2 + 0.5)
    }
  end
