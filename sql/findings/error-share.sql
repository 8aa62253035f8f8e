-- A step of findings. The share of the error budget of a kind and topic of candidates. Of 100 pages without real
-- changes, five may report a change, on a card or in the lead. The shares add up to 1 and divide these five among the
-- kinds and topics on a page. Any kind or topic that is not listed has a small share. Gaps are tested among themselves
-- (q below 0.01), so they have nearly no share.
-- columns:
-- kind: parameter: kind of the candidate, see no_candidates
-- topic: parameter: topic of the candidate, see no_candidates
create or replace macro error_share(kind, topic) as
  case kind || ' ' || topic
    when 'outside sources' then 0.11
    when 'outside integrations' then 0.02
    when 'outside teams' then 0.08
    when 'outside severities' then 0.04
    when 'outside counts' then 0.04
    when 'outside hours' then 0.04
    when 'month sources' then 0.07
    when 'month integrations' then 0.01
    when 'month teams' then 0.04
    when 'month counts' then 0.02
    when 'week sources' then 0.03
    when 'week integrations' then 0.01
    when 'week teams' then 0.02
    when 'week counts' then 0.02
    when 'shift acknowledge' then 0.06
    when 'shift resolve' then 0.06
    when 'shift cards' then 0.16
    when 'concentrated nights' then 0.04
    when 'goal targets' then 0.02
    when 'in_time acknowledge' then 0.01
    when 'behind acknowledge' then 0.01
    when 'trend counts' then 0.03
    when 'mix severities' then 0.012
    when 'apart acknowledge' then 0.02
    when 'apart resolve' then 0.02
    when 'gap sources' then 0.001
    when 'gap integrations' then 0.001
    when 'gap teams' then 0.001
    when 'gap severities' then 0.001
    when 'resumed sources' then 0.001
    when 'resumed integrations' then 0.001
    when 'resumed teams' then 0.001
    when 'resumed severities' then 0.001
    else if(starts_with(topic, 'dimension '), 0.03, 0.05)
  end
