-- Monitoring rules triggered, one row per account, snapshot and folder. A folder includes its descendants, so never sum folders.
-- columns:
-- account_id: the account
-- snapshot_at: when the service was asked
-- folder_id: folder of monitoring rules
-- folder_name: its name
-- rule_total: rules in the folder and its descendants
-- triggered_rule_count: of them, rules triggered
-- triggered_share: triggered_rule_count / rule_total, 0 to 1; null without rules
-- triggered_change: difference to the folder's snapshot before, in rules; null on its first
with
  folder_rule_status as (select * from folder_rule_status),
  final as (
    select
      account_id,
      snapshot_at,
      folder_id,
      folder_name,
      rule_total,
      triggered_rule_count,
      triggered_rule_count / nullif(rule_total, 0) as triggered_share,
      triggered_rule_count
        - lag(triggered_rule_count) over (partition by account_id, folder_id order by snapshot_at) as triggered_change
    from folder_rule_status
  )
select * from final
