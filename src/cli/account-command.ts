import { type Cli, json, type Nothing } from './command.ts'

/** Defines `faultline account remove`. */
export function accountCommand({ parent, runs }: Cli): void {
  const account = parent
    .command('account')
    .description('take an account out of the warehouse, for good: `account remove NAME`')
    .addHelpText('after', '\nExample:\n  faultline account remove payments')
  account
    .command('remove <name>')
    .description(
      'take every row of an account, by name or number, out of tables, working files and former copies',
    )
    .option('--yes', 'do not ask before')
    .addOption(json())
    .addHelpText('after', REMOVE_HELP)
    .action(
      runs(async (context, name, { yes, json, ...unread }) => {
        unread satisfies Nothing
        const { removeAccount } = await import('./remove-account.ts')
        return removeAccount(context, name, { yes, json })
      }),
    )
}

const REMOVE_HELP = `
Files are written anew, so that no byte of a row stays; of a lake all former states are forgotten, of every account. Pages, exports
and backups that were made before are not touched. Take the account out of the configuration first, or the next sync reads it again.

Example:
  faultline account remove payments --yes`
