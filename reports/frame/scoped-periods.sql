-- Periods of single figures. A figure is compared only if both periods were read completely.
-- period: `current`, and `previous` if both are in the data and were read completely
select unnest(if($is_compared::boolean, ['current', 'previous'], ['current'])) as period
