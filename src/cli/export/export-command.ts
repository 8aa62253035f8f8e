import { type Cli, json, type Nothing } from '../command.ts'

/** Defines `faultline export`. */
export function exportCommand({ parent, runs }: Cli): void {
  parent
    .command('export [table...]')
    .description('write complete tables, and the view incident_times, as files; or those that are named')
    .option('--format <formats>', 'parquet, csv, ndjson, separated by commas', 'parquet')
    .option(
      '--to <place>',
      'folder to create or replace, or s3://bucket/prefix/ (default: export, in the folder of reports)',
    )
    .option('--account <names>', 'only the rows of these accounts, by name or number, separated by commas')
    .option(
      '--metrics',
      'also what each metric gives over all that there is: `metric_acknowledgement` and so on',
    )
    .option('--dbt <dir>', 'also a dbt package in this folder, over this export; with --metrics')
    .option('--bom', 'begin CSV with a byte order mark, by which Excel knows UTF-8')
    .option('--escape-formulas', 'in CSV, put an apostrophe before text that a spreadsheet would run')
    .addOption(json())
    .addHelpText('after', HELP)
    .action(
      runs(async (context, tables, options) => {
        const { format, to, account, metrics, dbt, bom, escapeFormulas, json, ...unread } = options
        unread satisfies Nothing
        const { exportWarehouse } = await import('./export-warehouse.ts')
        const csv = { bom, escapeFormulas }
        return exportWarehouse(context, tables, { format, to, account, metrics, dbt, ...csv, json })
      }),
    )
}

const HELP = `
Parquet of incidents is partitioned by month of start_time. datapackage.json says of each column its type, unit and
meaning, and of each table its key. An export replaces the previous one in its folder; in an object store file by file, manifest.json last.

Examples:
  faultline export --format parquet,csv --to /data/incidents
  faultline export incident_times --format ndjson
  faultline export --to s3://analytics/incidents/
  faultline export --dbt /data/dbt/faultline --to /data/incidents
  faultline export --account payments --to /data/payments`
