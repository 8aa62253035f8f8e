import { type Cli, json, type Nothing, RESUME_NOTE } from '../command.ts'

/** Defines `faultline sync`. */
export function syncCommand(cli: Cli): void {
  withOptions(cli).action(
    cli.runs(async (context, resources, { plan, account, jobs, json, ...more }) => {
      const { full, acceptVanished, acceptUnproven, since, until, ...unread } = more
      unread satisfies Nothing
      const { syncOrPlan } = await import('./sync-or-plan.ts')
      return syncOrPlan(
        context,
        { resources, full, acceptVanished, acceptUnproven, since, until },
        { plan, account, jobs, json },
      )
    }, RESUME_NOTE),
  )
}

function withOptions({ parent }: Cli) {
  return parent
    .command('sync [resource...]')
    .description('read new and changed records and publish them')
    .option('--plan', 'show what would be read; write nothing')
    .option('--full', 'read everything again')
    .option('--accept-vanished', 'believe that records are gone, however many at once')
    .option('--accept-unproven', 'take what is not proven complete as it is, from now on')
    .option('--since <date>', 'oldest incidents to read: a day of `timezone` or an age such as 90d')
    .option('--until <date>', 'newest incidents to read: those before this day')
    .option('--account <names>', 'only these accounts, separated by commas (default: all)')
    .option('--jobs <n>', 'accounts read side by side (default: by cores and memory)')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline sync --since 2026-01-01 --plan')
}
