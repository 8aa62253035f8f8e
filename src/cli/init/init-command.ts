import type { Cli } from '../command.ts'

export function initCommand({ parent, loads }: Cli): void {
  parent
    .command('init')
    .description('write config.json (interactive on a terminal; use options in scripts)')
    .option('--app-key-file <file>', 'file that contains the app key (default: use FAULTLINE_APP_KEY)')
    .option(
      '--read-key',
      'read the app key from standard input and write it to the file given by --app-key-file',
    )
    .option('--timezone <zone>', 'IANA time zone of reports')
    .option('--since <date>', 'oldest incidents to sync: a date, or an age such as 90d')
    .option('--yes', 'use options and defaults, do not ask')
    .option('--force', 'replace existing files')
    .addHelpText(
      'after',
      '\nExample:\n  faultline init --base-url https://service.example --since 180d --yes',
    )
    .action(loads(async () => (await import('./run-init.ts')).runInit))
}
