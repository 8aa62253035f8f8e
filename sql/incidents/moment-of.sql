-- A time of an incident by the name that measures in the configuration use. Null if it has not happened.
-- columns:
-- moment: parameter: `start_time`, `created_at`, `ack_time`, `close_time`, `end_time`, `first_answer`,
--   `first_post_mortem`, or a custom field, `fields.NAME`
-- start_time: parameter: start of the incident
-- created_at: parameter: creation of the incident
-- ack_time: parameter: first acknowledgement of the incident
-- closed_at: parameter: close of the incident
-- end_time: parameter: recovery of the incident
-- first_answer: parameter: see first_answers
-- first_post_mortem: parameter: creation of its first post-mortem
-- moments: parameter: custom fields, see incident_times
create or replace macro moment_of(
  moment, start_time, created_at, ack_time, closed_at, end_time, first_answer, first_post_mortem, moments
) as
  case moment
    when 'start_time' then start_time
    when 'created_at' then created_at
    when 'ack_time' then ack_time
    when 'close_time' then closed_at
    when 'end_time' then end_time
    when 'first_answer' then first_answer
    when 'first_post_mortem' then first_post_mortem
    else moments[moment]
  end
