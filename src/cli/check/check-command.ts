import { type Cli, json } from '../command.ts'

export function checkCommand({ parent, loads }: Cli): void {
  parent
    .command('check')
    .description('check configuration, key, service, warehouse and reports without changing anything')
    .option('--deep', 'skip the other checks, and read every block of every warehouse file')
    .addOption(json())
    .addHelpText(
      'after',
      '\nExit status: 2 if the configuration is wrong, 1 if something else failed, otherwise 0.\n\nExample:\n  faultline check --config /etc/faultline/config.json',
    )
    .action(loads(async () => (await import('./run-check.ts')).runCheck))
}
