import { type Cli, json, type Nothing } from '../command.ts'

/** Defines `faultline check`. */
export function checkCommand({ parent, runs }: Cli): void {
  parent
    .command('check')
    .description('check the configuration, key, service, warehouse and reports; changes nothing')
    .option('--deep', 'read every block of every file of the warehouse, and nothing else')
    .addOption(json())
    .addHelpText(
      'after',
      '\nExit status: 2 when the configuration is wrong, 1 when something else failed, else 0.\n\nExample:\n  faultline check --config /etc/faultline/config.json',
    )
    .action(
      runs(async (context, { deep, json, ...unread }) => {
        unread satisfies Nothing
        const { runCheck } = await import('./run-check.ts')
        return runCheck(context, { deep, json })
      }),
    )
}
