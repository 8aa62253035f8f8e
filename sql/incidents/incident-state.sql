-- State of an incident as text: `open, not acknowledged`, `open, acknowledged`, `closed, not acknowledged` or
-- `closed, acknowledged`.
-- columns:
-- is_open: parameter: see incident_times
-- is_acknowledged: parameter: see incident_times
create or replace macro incident_state(is_open, is_acknowledged) as
  if(is_open, 'open, ', 'closed, ') || if(is_acknowledged, 'acknowledged', 'not acknowledged')
