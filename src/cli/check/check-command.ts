import { type Cli, json, type Nothing } from '../command.ts'

export function checkCommand({ parent, runs }: Cli): void {
  parent
    .command('check')
    .description('check configuration, key, service, warehouse and reports without changing anything')
    .option('--deep', 'skip the other checks, and read every block of every warehouse file')
    .addOption(json())
    .addHelpText(
      'after',
      '\nExit status: 2 if the configuration is wrong, 1 if something else failed, otherwise 0.\n\nExample:\n  faultline check --config /etc/faultline/config.json',
    )
    .action(
      runs(async (context, { deep, json, ...unread }) => {
        unread satisfies Nothing
        const { runCheck } = await import('./run-check.ts')
        return runCheck(context, { deep, json })
      }),
    )
}
