import { type Cli, json } from '../command.ts'

export function exportCommand({ parent, loads }: Cli): void {
  parent
    .command('export [table...]')
    .description('export tables and views as files (default: all tables, and the view incident_times)')
    .option('--format <formats>', 'parquet, csv, ndjson, comma-separated', 'parquet')
    .option(
      '--to <place>',
      'folder to create or replace, or s3://bucket/prefix/ (default: export, in the folder of reports)',
    )
    .option('--account <names>', 'only rows of these accounts, by name or id, comma-separated')
    .option('--metrics', 'also export the result of each metric over all data (`metric_acknowledgement`, …)')
    .option('--dbt <dir>', 'also write a dbt package for this export to this folder; implies --metrics')
    .option('--bom', 'start CSV files with a byte order mark so that Excel detects UTF-8')
    .option('--escape-formulas', 'in CSV, prefix text that a spreadsheet would execute with an apostrophe')
    .addOption(json())
    .addHelpText('after', HELP)
    .action(loads(async () => (await import('./export-warehouse.ts')).exportWarehouse))
}

const HELP = `
Parquet files of incidents are partitioned by month of start_time. datapackage.json describes each column's type, unit and
meaning and each table's key. An export replaces the previous one in its folder. In an object store, files are replaced one
by one, manifest.json last.

Examples:
  faultline export --format parquet,csv --to /data/incidents
  faultline export incident_times --format ndjson
  faultline export --to s3://analytics/incidents/
  faultline export --dbt /data/dbt/faultline --to /data/incidents
  faultline export --account payments --to /data/payments`
