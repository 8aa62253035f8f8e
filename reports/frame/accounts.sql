-- The accounts that `account` can choose from, each with the name of the configuration, else its number.
select as_of.account_id::varchar as account_id, coalesce(accounts.name, as_of.account_id::varchar) as name
from as_of
left join accounts using (account_id)
order by name
