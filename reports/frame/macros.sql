-- What keeps queries of reports short; made for each run, gone with it.

-- A p90 of fewer than 10 values is the largest value under another name, so it is left out.
create or replace temp macro p90(x) as case when count(x) >= 10 then quantile_cont(x, 0.9) end;

-- The worst severity first; one that nobody knows comes last.
create or replace temp macro severity_rank(severity) as
  coalesce(list_position(['Critical', 'Warning', 'Info', 'Ok'], severity), 5);
