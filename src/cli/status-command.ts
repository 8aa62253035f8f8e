import { type Cli, json } from './command.ts'

export function statusCommand({ parent, loads }: Cli): void {
  parent
    .command('status')
    .description('show the last runs, how fresh the data is, and rejected records')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline status --json')
    .action(loads(async () => (await import('./status.ts')).showStatus))
}
