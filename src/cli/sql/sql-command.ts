import { type Cli, json, type Nothing, Option } from '../command.ts'

/** Defines `faultline sql`. */
export function sqlCommand({ parent, runs }: Cli): void {
  parent
    .command('sql [query]')
    .description('run one read-only statement on the warehouse; without one, on a terminal, a prompt')
    .addOption(
      new Option('--format <format>', 'output format').choices([
        'table',
        'expanded',
        'csv',
        'json',
        'markdown',
      ]),
    )
    .option('--to <file>', 'write the rows to this file; the format is that of its name (.csv, .json, .md)')
    .option('--escape-formulas', 'in CSV, put an apostrophe before text that a spreadsheet would run')
    .option('--timeout <time>', 'how long it may take (default: 10m)')
    .option('--at <state>', 'lake only: query a past snapshot, by time, age (3d) or snapshot number')
    .addOption(json())
    .addHelpText(
      'after',
      `\nExample:\n  faultline sql "select incident_severity, count(*) from incident_times group by all"`,
    )
    .action(
      runs(async (context, query, { format, to, escapeFormulas, timeout, at, json, ...unread }) => {
        unread satisfies Nothing
        const { runSql } = await import('./run-sql.ts')
        return runSql(context, query, { format: json ? 'json' : format, to, escapeFormulas, timeout, at })
      }),
    )
}
