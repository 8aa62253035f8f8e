-- Newest run of each account in this snapshot of the warehouse.
select account_id::varchar as account_id, max(run_id) as run_id from sync_runs group by account_id order by account_id
