-- Severity and clock of a target at a time. `severity` is the severity at that time. `raised_s` is the seconds from the
-- start until the incident got that severity, because the target counts from then. Null if no raise was seen.
-- columns:
-- rated: parameter: result of severity_at, or null if no change was seen
-- start_time: parameter: start of the incident
-- incident_severity: parameter: current severity, used if no change was seen
create or replace macro target_clock(rated, start_time, incident_severity) as
  {
    'severity': coalesce(rated['severity'], incident_severity),
    'raised_s': case
      when rated['is_raised'] and rated['since_at'] > start_time then epoch(rated['since_at']) - epoch(start_time)
    end
  }
