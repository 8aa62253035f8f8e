-- The periods that single figures speak of: what is read from here is held against nothing that was not read.
-- period: `current`, and `previous` where both lie in the data and were read in full
select unnest(if($is_compared::boolean, ['current', 'previous'], ['current'])) as period
