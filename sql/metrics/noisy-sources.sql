-- Sources of incidents, including muted ones, one row per account and channel, integration or dedup_key. All three
-- kinds include the same incidents, so never sum over kinds. A page (see pages_within) counts for the incident of its
-- first assignment. Order by incidents for a Pareto chart.
-- question: Which sources are the noisiest?
-- key: account_id, source_kind, source_id
-- columns:
-- account_id: the account
-- source_kind: `channel`, `integration` or `dedup_key`
-- source_id: id or key of the source as text, `0` if it has no channel or integration, empty if no dedup_key
-- source_name: name of the channel, type of the integration, or the key, untrusted text
-- incidents: incidents from this source
-- alert_events: raw alert events of these incidents
-- self_healed_share: share that recovered and closed without an acknowledgement, 0 to 1
-- pages: pages for these incidents, see pages_within
-- sleep_pages: pages in the band `sleep`
-- incident_share: share of the incidents of the account, 0 to 1
-- cumulative_share: share of the incidents of the account from this source and the noisier ones, with ties in the order
--   of source_id
create or replace macro noisy_sources(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  incident_pages as (
    select account_id, incident_id, count(*) as pages, count(*) filter (band = 'sleep') as sleep_pages
    from page_starts()
    group by account_id, incident_id
  ),
  sources as (
    select
      unnest([
        {'kind': 'channel', 'id': cast(channel_id as varchar), 'name': channel_name},
        {'kind': 'integration', 'id': cast(integration_id as varchar), 'name': integration_type},
        {'kind': 'dedup_key', 'id': dedup_key, 'name': dedup_key}
      ]) as source,
      account_id,
      incident_id,
      alert_event_cnt,
      is_self_healed
    from population
  ),
  counted as (
    select
      account_id,
      source.kind as source_kind,
      coalesce(source.id, '') as source_id,
      coalesce(nullif(max(source.name), ''), '(none)') as source_name,
      count(*) as incidents,
      coalesce(sum(alert_event_cnt), 0) as alert_events,
      count(*) filter (is_self_healed) / count(*) as self_healed_share,
      coalesce(sum(pages), 0) as pages,
      coalesce(sum(sleep_pages), 0) as sleep_pages
    from sources
    left join incident_pages using (account_id, incident_id)
    group by all
  ),
  final as (
    select
      *,
      incidents / sum(incidents) over (partition by account_id, source_kind) as incident_share,
      sum(incidents) over (
        partition by account_id, source_kind order by incidents desc, source_id rows unbounded preceding
      ) / sum(incidents) over (partition by account_id, source_kind) as cumulative_share
    from counted
  )
select * from final
