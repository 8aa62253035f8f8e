import { type Cli, json, type Nothing } from './command.ts'

export function statusCommand({ parent, runs }: Cli): void {
  parent
    .command('status')
    .description('show the last runs, how fresh the data is, and rejected records')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline status --json')
    .action(
      runs(async (context, { json, ...unread }) => {
        unread satisfies Nothing
        const { showStatus } = await import('./status.ts')
        return showStatus(context, { json })
      }),
    )
}
