-- The worst severity first: Critical is 1, one that nobody knows comes last.
-- columns:
-- severity: parameter: a severity
create or replace macro severity_rank(severity) as
  coalesce(list_position(['Critical', 'Warning', 'Info', 'Ok'], severity), 5)
