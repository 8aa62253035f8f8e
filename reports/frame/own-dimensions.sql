-- Configured dimensions as a sentence, or null without any.
select string_agg(name || ' is ' || source, '; ' order by name) as text from config_dimensions
