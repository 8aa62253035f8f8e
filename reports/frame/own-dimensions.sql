-- Configured dimensions as a sentence, or null if there are none.
select string_agg(name || ' is ' || source, '; ' order by name) as text from config_dimensions
