-- What keeps queries of reports short; made for each run, gone with it.

-- The ends of the 95 % interval of a median, a p90 or a mean; none below 6, 36 and 20 values.
create or replace temp macro median_low(x) as quantile_interval(x, 0.5).low;
create or replace temp macro median_high(x) as quantile_interval(x, 0.5).high;
create or replace temp macro p90_low(x) as quantile_interval(x, 0.9).low;
create or replace temp macro p90_high(x) as quantile_interval(x, 0.9).high;
create or replace temp macro mean_low(x) as mean_interval(x, lowest := 0).low;
create or replace temp macro mean_high(x) as mean_interval(x, lowest := 0).high;

-- Seconds to acknowledge (MTTA) of an incident that was not muted; null where nobody did, or before it started.
create or replace temp macro seconds_to_answer(started_at, answer_at, is_muted) as
  case when not is_muted and answer_at >= started_at then epoch(answer_at) - epoch(started_at) end;

-- Seconds within which an incident has to be acknowledged, by the configuration; null where nothing is asked.
create or replace temp macro ack_target_s(of_severity) as
  (select map(list(severity), list(ack_target_s)) from config_targets)[of_severity];

-- Whether it was. Without a target, and not acknowledged and younger than it, nothing is decided: null, and in no share.
create or replace temp macro is_ack_in_time(of_severity, tta, is_open, age) as
  case
    when ack_target_s(of_severity) is null then null
    when tta is not null then tta <= ack_target_s(of_severity)
    when is_open and age < ack_target_s(of_severity) then null
    else false
  end;

-- The durations behind a figure, for its interval and its change: what is still open when its period is judged is longer
-- than everything that was seen. Not counted: what `counts` leaves out, and what was closed without this time.
create or replace temp macro times(seconds, judged, counts := true) as
  list({
    'place': judged.place,
    'seconds': if(seconds <= judged.watched_s, seconds::double, 'infinity'::double)
  }) filter (
    where counts and judged.place is not null and judged.watched_s >= 0 and (coalesce(seconds <= judged.watched_s, false) or judged.is_open)
  );

-- How many in each week of the period, for the change of a count; none where there are none, which is not null.
create or replace temp macro weeks_of(judged, counts := true) as
  coalesce(histogram(judged.place) filter (where counts and judged.place is not null), map());

-- How many of how many in each week of the period, for the change of a share.
create or replace temp macro share_weeks_of(hit, judged, counts := true) as
  {'hits': weeks_of(judged, counts and hit), 'n': weeks_of(judged, counts)};

-- The same of an outcome of incident_targets, as it stood when the period is judged.
create or replace temp macro target_weeks_of(outcome, target_s, seconds, judged) as
  share_weeks_of(
    outcome = 'met' and seconds <= judged.watched_s,
    judged,
    outcome is not null and (judged.watched_s > target_s or coalesce(seconds <= judged.watched_s, false))
  );
