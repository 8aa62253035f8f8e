import { type Cli, RESUME_NOTE } from './command.ts'

export function demoCommand({ parent, loads }: Cli): void {
  parent
    .command('demo')
    .description('sync generated data and create all reports, without a key or configuration')
    .option('--to <dir>', 'folder of the warehouse and the reports', 'out/demo')
    .option('--world <name>', 'scenario: meridian, storm, silence or test-services', 'meridian')
    .option('--incidents <n>', 'number of generated incidents')
    .addHelpText('after', HELP)
    .action(loads(async () => (await import('./run-demo.ts')).runDemo, RESUME_NOTE))
}

const HELP = `
Scenarios:
  meridian       an ordinary company: a source that tripled, quieter nights, a team that misses targets
  storm          one bad hour causes 40% of all incidents
  silence        an integration sends nothing for 50 days
  test-services  11 of 12 incidents are tests closed by automation; shows seven common mistakes in hand-made figures

Examples:
  faultline demo --incidents 20000
  faultline demo --world storm --to out/storm`
