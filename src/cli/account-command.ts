import { type Cli, json } from './command.ts'

export function accountCommand({ parent, loads }: Cli): void {
  const account = parent
    .command('account')
    .description('permanently delete an account from the warehouse: `account remove NAME`')
    .addHelpText('after', '\nExample:\n  faultline account remove payments')
  account
    .command('remove <name>')
    .description('delete all rows of an account (name or id) from tables, working files and previous copies')
    .option('--yes', 'do not ask for confirmation')
    .addOption(json())
    .addHelpText('after', REMOVE_HELP)
    .action(loads(async () => (await import('./remove-account.ts')).removeAccount))
}

const REMOVE_HELP = `
Files are rewritten, so that no deleted data remains. In a lake this expires all past snapshots of every account. Existing reports,
exports and backups are not changed. Remove the account from the configuration first, or the next sync restores it.

Example:
  faultline account remove payments --yes`
