-- Further columns of incidents of any period: `join scoped_details using (account_id, incident_id)`.
-- title, detail_url, impact, root_cause, resolution, manual_overrides, assigned_to, account_time_zone, incident_status,
--   updated_at, snoozed_before, owner_id, creator_id, ever_muted: as in incident_times
create or replace temp view scoped_details as
select
  account_id,
  incident_id,
  title,
  detail_url,
  impact,
  root_cause,
  resolution,
  manual_overrides,
  assigned_to,
  account_time_zone,
  incident_status,
  updated_at,
  snoozed_before,
  owner_id,
  creator_id,
  ever_muted
from incidents;
