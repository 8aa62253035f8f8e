import { type Cli, KEPT, type Nothing } from './command.ts'

/** `faultline demo`: from the service to pages without a key. */
export function demoCommand({ parent, runs }: Cli): void {
  parent
    .command('demo')
    .description('sync a sandbox and make all reports; needs no key and no configuration')
    .option('--out <dir>', 'folder of the warehouse and the reports', 'out/demo')
    .option('--incidents <n>', 'number of incidents of the made-up company')
    .addHelpText('after', '\nExample:\n  faultline demo --incidents 20000')
    .action(
      runs(async (context, { out, incidents, ...unread }) => {
        unread satisfies Nothing
        const { runDemo } = await import('./run-demo.ts')
        return runDemo(context, { out, incidents })
      }, KEPT),
    )
}
