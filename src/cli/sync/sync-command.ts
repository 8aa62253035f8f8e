import { type Cli, json, RESUME_NOTE } from '../command.ts'

export function syncCommand({ parent, loads }: Cli): void {
  parent
    .command('sync [resource...]')
    .description('read new and changed records and publish them')
    .option('--plan', 'show what would be synced, without writing anything')
    .option('--full', 'sync everything again')
    .option('--accept-vanished', 'mark missing records as removed even if many disappeared at once')
    .option(
      '--accept-unproven',
      'accept windows that could not be verified as complete, now and in later runs',
    )
    .option('--since <date>', 'oldest incidents to sync: a day in `timezone`, or an age such as 90d')
    .option('--until <date>', 'only incidents before this day')
    .option('--account <names>', 'only these accounts, comma-separated (default: all)')
    .option('--jobs <n>', 'accounts to sync in parallel (default: from cores and memory)')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline sync --since 2026-01-01 --plan')
    .action(loads(async () => (await import('./sync-or-plan.ts')).syncOrPlan, RESUME_NOTE))
}
