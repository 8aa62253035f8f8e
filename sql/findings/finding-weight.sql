-- A step of findings. The weight of a finding. It is the weight of its kind, times the distance of its CI from no
-- change, times its size. Good news has a quarter of the weight.
-- columns:
-- kind: parameter: kind of the finding, see findings
-- topic: parameter: topic of the finding, see no_candidates
-- is_worse: parameter: it is bad news
-- before: parameter: previous value, or the objective for the kind `goal`
-- low: parameter: lower limit of the CI of its ratio
-- high: parameter: upper limit of that CI, or of the share for the kind `goal`
-- n: parameter: incidents, pages or people behind it, or null if unknown
create or replace macro finding_weight(kind, topic, is_worse, before, low, high, n) as
  case kind
    when 'data' then case when topic in ('unread', 'rejected') then 600 when topic = 'silence' then 500 else 1 end
    when 'unattended' then 1000
    when 'renamed' then 450
    when 'gap' then 400
    when 'moved' then 350
    when 'dominant' then if(topic = 'families', 150, 15)
    when 'timer' then 140
    when 'never_closed' then 130
    when 'apart' then 120
    when 'behind' then 118
    when 'burst' then 100
    when 'goal' then 40
    when 'unreviewed' then 35
    when 'concentrated' then 30
    when 'new' then 30
    when 'in_time' then 26
    when 'outside' then if(topic = 'hours', 12, 25)
    when 'month' then 22
    when 'week' then 18
    when 'shift' then if(topic = 'cards', 10, 25)
    when 'most' then 20
    when 'mix' then 20
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
