import { type Cli, json, Option } from '../command.ts'

export function sqlCommand({ parent, loads }: Cli): void {
  parent
    .command('sql [query]')
    .description('run one read-only statement, or start a prompt if none is given')
    .addOption(
      new Option('--format <format>', 'output format').choices([
        'table',
        'expanded',
        'csv',
        'json',
        'markdown',
      ]),
    )
    .option('--to <file>', 'write the rows to this file, in the format of its extension (.csv, .json, .md)')
    .option('--escape-formulas', 'in CSV, prefix text that a spreadsheet would execute with an apostrophe')
    .option('--timeout <time>', 'maximum run time (default: 10m)')
    .option('--at <state>', 'lake only: query a past snapshot, by time, age (3d) or snapshot number')
    .addOption(json())
    .addHelpText(
      'after',
      `\nExample:\n  faultline sql "select incident_severity, count(*) from incident_times group by all"`,
    )
    .action(loads(async () => (await import('./run-sql.ts')).runSql))
}
