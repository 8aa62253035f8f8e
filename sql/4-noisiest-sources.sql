-- Where incidents came from over the whole history: noisy_sources without its parameters.
-- columns:
-- account_id: the account
-- source_kind: `channel`, `integration` or `dedup_key`
-- source_id: id or key of the source, as text; `0` is no channel or no integration, empty is no dedup_key
-- source_name: name of the channel, type of the integration, or the key; hostile text
-- incidents: incidents from this source
-- alert_events: raw alert events behind them
-- self_healed_share: part that recovered and closed without acknowledgement, 0 to 1
-- pages: assignments, a proxy for pages
-- sleep_pages: of them, in the band `sleep`
-- incident_share: part of the account's incidents, 0 to 1
-- cumulative_share: part of the account's incidents from this source and the noisier ones; ties in the order of source_id
with
  final as (select * from noisy_sources())
select * from final
