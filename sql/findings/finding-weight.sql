-- A step of findings: how much one matters. That is how serious its kind is, times how far the end of its interval lies
-- from no change, times how many it touches; good news weighs a quarter.
-- columns:
-- kind: parameter: of the finding, see findings
-- topic: parameter: what it is about, see no_candidates
-- is_worse: parameter: it is bad news
-- before: parameter: how much before; of a goal the goal
-- low: parameter: lower end of the interval of its ratio
-- high: parameter: upper end of that interval; of a goal that of the share
-- n: parameter: incidents, pages or people it rests on; null is none
create or replace macro finding_weight(kind, topic, is_worse, before, low, high, n) as
  case kind
    when 'data' then if(topic = 'silence', 500, 1)
    when 'unattended' then 1000
    when 'burst' then 100
    when 'goal' then 40
    when 'concentrated' then 30
    when 'outside' then if(topic = 'hours', 12, 25)
    when 'month' then 22
    when 'week' then 18
    when 'shift' then if(topic = 'cards', 10, 25)
    when 'most' then 20
    when 'trend' then 10
    else 8
  end
  * if(is_worse, 1, 0.25)
  * (1 + least(3, case
    when kind = 'goal' then coalesce(3 * (before - high), 0)
    when low > 1 then ln(low)
    when high < 1 then -ln(greatest(1e-6, high))
    else 0
  end))
  * log10(10 + coalesce(n, 0))
