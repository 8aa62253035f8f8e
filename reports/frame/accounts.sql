-- The accounts that `account` can select, with the name of the configuration, else the id.
select as_of.account_id::varchar as account_id, coalesce(accounts.name, as_of.account_id::varchar) as name
from as_of
left join accounts using (account_id)
order by name
