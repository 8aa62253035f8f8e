-- What a target is held against at a moment: `severity`, the one that was valid then, and `raised_s`, the seconds from
-- the start until the incident was raised to it, since the time to it counts from then; null where that was not seen.
-- columns:
-- rated: parameter: severity_at the moment; null where nothing was seen of it
-- start_time: parameter: of the incident
-- incident_severity: parameter: of the incident, which holds where nothing else was seen
create or replace macro target_clock(rated, start_time, incident_severity) as
  {
    'severity': coalesce(rated['severity'], incident_severity),
    'raised_s': case
      when rated['is_raised'] and rated['since_at'] > start_time then epoch(rated['since_at']) - epoch(start_time)
    end
  }
