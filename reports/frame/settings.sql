-- All settings of the configuration in a fixed order, as a list of rows for each table.
select
  (select list(one order by one) from config_targets as one) as targets,
  (select list(one order by one) from config_bands as one) as bands,
  (select list(one order by one) from config_holidays as one) as holidays,
  (select list(one order by one) from config_person_zones as one) as person_zones,
  (select list(one order by one) from config_on_call as one) as on_call,
  (select list(one order by one) from config_policies as one) as policies,
  (select list(one order by one) from config_thresholds as one) as thresholds
