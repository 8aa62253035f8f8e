import { type Cli, type Nothing, RESUME_NOTE } from './command.ts'

/** Defines `faultline demo`. */
export function demoCommand({ parent, runs }: Cli): void {
  parent
    .command('demo')
    .description('sync a sandbox and make all reports; needs no key and no configuration')
    .option('--to <dir>', 'folder of the warehouse and the reports', 'out/demo')
    .option('--world <name>', 'which company it is: meridian, storm, silence or test-services', 'meridian')
    .option('--incidents <n>', 'number of incidents of the made-up company')
    .addHelpText('after', HELP)
    .action(
      runs(async (context, { to, world, incidents, ...unread }) => {
        unread satisfies Nothing
        const { runDemo } = await import('./run-demo.ts')
        return runDemo(context, { to, world, incidents })
      }, RESUME_NOTE),
    )
}

const HELP = `
Worlds:
  meridian       an ordinary company: a source that tripled, quieter nights, a team that is late
  storm          one bad hour brings four of ten incidents
  silence        an integration sends nothing for 50 days
  test-services  11 of 12 incidents are tests that a robot closes, and six more mistakes of figures made by hand

Examples:
  faultline demo --incidents 20000
  faultline demo --world storm --to out/storm`
