-- Values of $dimension that incidents have, most frequent first.
select value
from (select dimensions[$dimension] as value from incident_times)
where value is not null
group by value
order by count(*) desc, value
