-- The accounts that `account` can select, with their name from the configuration, or else their id.
select as_of.account_id::varchar as account_id, coalesce(accounts.name, as_of.account_id::varchar) as name
from as_of
left join accounts using (account_id)
order by name
