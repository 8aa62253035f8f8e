import type { Cli, Nothing } from './command.ts'

/** `faultline work`: syncs the accounts of a lake that are due, each by one of all workers, until it is stopped. */
export function workCommand({ parent, runs }: Cli): void {
  parent
    .command('work')
    .description('sync the accounts of a lake that are due, as one of several workers')
    .option('--once', 'end when nothing is due that no other worker has')
    .option('--accounts <names>', 'only these accounts, separated by commas (default: all)')
    .option('--jobs <n>', 'accounts synced side by side (default: 4)')
    .addHelpText('after', '\nExample:\n  faultline work --once')
    .action(
      runs(async (context, { once, accounts, jobs, ...unread }) => {
        unread satisfies Nothing
        const { workAccounts } = await import('./work-accounts.ts')
        return workAccounts(context, { once, accounts, jobs })
      }),
    )
}
