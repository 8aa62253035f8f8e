-- Rank of a severity, 1 for Critical. Unknown severities are last.
-- columns:
-- severity: parameter: the severity
create or replace macro severity_rank(severity) as
  coalesce(list_position(['Critical', 'Warning', 'Info', 'Ok'], severity), 5)
