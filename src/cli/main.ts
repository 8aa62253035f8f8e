#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander'
import { FaultlineError } from '../errors.ts'
import { version } from '../version.ts'
import { processConsole } from './console.ts'
import type { Context } from './context.ts'

const secrets: string[] = []
const console = processConsole(() => secrets)
const stopping = new AbortController()
let isListening = false

const SANDBOX_HELP = `
Prints {"base_url": …, "app_key": …, "now": …} as one line, then serves until it is stopped.
It listens on this machine only. The key is made up and may do everything. Its time stands still until it is moved.

Faults: status_429, status_429_bare, status_500, reset, truncate, malformed, wrong_shape, wrong_payload,
repeat_cursor, duplicate_row and drop_row from 0 to 1, and slow_ms. The same seed and requests meet the
same faults.

Behind the service, for tests: GET /_sandbox/world, stats, audit, truth, state, clock, faults;
POST /_sandbox/clock {"advance_s": 3600} or {"now": …}, POST /_sandbox/faults {"status_500": 0.1}.

Examples:
  faultline sandbox --port 8080 --incidents 100000
  faultline sandbox --seed 7 --now 2026-03-01 --state out/sandbox
  faultline sandbox --openapi > openapi.json`

const START_HELP = `
Times are cron expressions in the configuration: \`schedule.sync\` (02:30 unless given) and the
\`schedule\` of each report, in \`schedule.timezone\`. What was missed while the process was down
is made up for once. It logs JSON lines to standard error, writes its state to a health file
beside the warehouse, and ends within seconds of SIGTERM; what it stored is kept.

With --health the exit status is 1 when the last sync failed, is overdue, or the process is gone.

Examples:
  faultline start
  faultline start --health`

/** The commands. Each loads its own code only when it is used, so that `--help` is instant. */
function program(): Command {
  const root = new Command('faultline')
    .description(
      'Syncs an incident-management service into one DuckDB file and turns it into reliability figures.',
    )
    .version(version)
    .option('--config <file>', 'configuration file (default: config.json, or FAULTLINE_CONFIG)')
    .option(
      '--warehouse <file>',
      'the DuckDB file readers open (default: from the configuration, or FAULTLINE_WAREHOUSE)',
    )
    .option(
      '--base-url <url>',
      'address of the service (default: from the configuration, or FAULTLINE_BASE_URL)',
    )
    .option('--verbose', 'log every retry and request to standard error as JSON lines')
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()

  const contextOf = (): Context => {
    const { verbose, ...overrides } = root.opts()
    return {
      console,
      overrides,
      verbose: verbose === true,
      get signal() {
        listenForStop()
        return stopping.signal
      },
      keepSecret: (secret) => secrets.push(secret),
    }
  }
  const does = (run: (context: Context) => Promise<number>) => async () => {
    process.exitCode = await run(contextOf())
  }
  const json = () => new Option('--json', 'for programs: one JSON value on standard output')

  const demo = root
    .command('demo')
    .description('no key, no config: a sandbox in this process, a sync, the reports, and what to open')
    .option('--out <dir>', 'where the warehouse and the reports go', 'out/demo')
    .option('--incidents <n>', 'how many incidents the made-up company had')
    .addHelpText('after', '\nExample:\n  faultline demo --incidents 20000')
  demo.action(does(async (context) => (await import('./demo.ts')).demoCommand(context, demo.opts())))

  const init = root
    .command('init')
    .description('write the configuration: asks on a terminal, takes options in scripts')
    .option('--app-key-file <file>', 'file that holds the app key (default: FAULTLINE_APP_KEY)')
    .option('--read-key', 'take the key from standard input and write it into that file')
    .option('--timezone <zone>', 'IANA zone of reports')
    .option('--since <date>', 'oldest incidents wanted: a date or an age such as 90d')
    .option('--yes', 'ask nothing: take what is given, and else what is usual')
    .option('--force', 'replace files that are there')
    .addHelpText(
      'after',
      '\nExample:\n  faultline init --base-url https://service.example --since 180d --yes',
    )
  init.action(does(async (context) => (await import('./init.ts')).initCommand(context, init.opts())))

  const check = root
    .command('check')
    .description('whether everything a sync and its reports need is there; writes nothing')
    .addOption(json())
    .addHelpText(
      'after',
      '\nExit status: 2 when the configuration is wrong, 1 when something else failed, else 0.\n\nExample:\n  faultline check --config /etc/faultline/config.json',
    )
  check.action(does(async (context) => (await import('./check.ts')).checkCommand(context, check.opts())))

  const sync = root
    .command('sync [resource...]')
    .description('read what is new or may have changed, and publish it')
    .option('--plan', 'show what would be read, and write nothing')
    .option('--full', 'read everything again')
    .option('--since <date>', 'oldest incidents wanted: a date or an age such as 90d')
    .option('--until <date>', 'newest incidents wanted')
    .option('--account <names>', 'only these accounts, separated by commas; all of them when left out')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline sync --since 2026-01-01 --plan')
  sync.action(
    does(async (context) => (await import('./sync.ts')).syncCommand(context, sync.args, sync.opts())),
  )

  const report = root
    .command('report [name...]')
    .description(
      'run reports on the published copy; `report list`, `report check [name…]`, `report new NAME`',
    )
    .option(
      '--period <period>',
      'such as 13w, last month, this quarter, 2026-W12, 2026-Q1 or 2026-01-01..2026-03-01',
    )
    .option('--team <names>', 'only these teams, separated by commas')
    .option('--severity <names>', 'only these severities, separated by commas')
    .option('--account <names>', 'only these accounts, by name or number, separated by commas')
    .option('--timezone <zone>', 'IANA zone of weeks, days and hours')
    .option('--format <formats>', 'html, csv, json, terminal, separated by commas', 'html,csv')
    .option('--out <dir>', 'where files go (default: from the configuration)')
    .option('--deliver', 'keep the pages by period with an index, and send them by mail and webhook')
    .option('--watch', 'make them again whenever a report file is saved')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline report mtta-mttr --period 13w --format terminal')
  report.action(
    does(async (context) => (await import('./report.ts')).reportCommand(context, report.args, report.opts())),
  )

  const sql = root
    .command('sql [query]')
    .description('one read-only statement on the published copy')
    .addOption(
      new Option('--format <format>', 'how to show it').choices(['table', 'csv', 'json', 'markdown']),
    )
    .addOption(json())
    .addHelpText(
      'after',
      `\nExample:\n  faultline sql "select incident_severity, count(*) from incident_times group by all"`,
    )
  sql.action(does(async (context) => (await import('./sql.ts')).sqlCommand(context, sql.args[0], sql.opts())))

  const exporting = root
    .command('export [table...]')
    .description('whole tables of the published copy as files; views can be named too')
    .option('--format <formats>', 'parquet, csv, ndjson, separated by commas', 'parquet')
    .option('--out <dir>', 'folder to make or to replace (default: export, below the folder of reports)')
    .addOption(json())
    .addHelpText(
      'after',
      `
Parquet of incidents is cut by the month of start_time. An export replaces the one in its folder whole.

Examples:
  faultline export --format parquet,csv --out /data/incidents
  faultline export incident_times --format ndjson`,
    )
  exporting.action(
    does(async (context) =>
      (await import('./export.ts')).exportCommand(context, exporting.args, exporting.opts()),
    ),
  )

  const quarantine = root
    .command('quarantine')
    .description('records that do not fit: list them, show one, or try all of them again')
    .option('--limit <n>', 'how many to list', '20')
    .option('--show <id>', 'one record as it came')
    .option('--replay', 'judge every record again and load those that fit now')
    .option('--forget <id>', 'give one record up')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline quarantine --replay')
  quarantine.action(
    does(async (context) => (await import('./quarantine.ts')).quarantineCommand(context, quarantine.opts())),
  )

  const schema = root
    .command('schema')
    .description('every table, view and metric with its columns, and what they mean; needs no warehouse')
    .addOption(new Option('--format <format>', 'how to show it').choices(['markdown', 'json']))
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline schema --json')
  schema.action(does(async (context) => (await import('./schema.ts')).schemaCommand(context, schema.opts())))

  const status = root
    .command('status')
    .description('the last runs, how fresh the data is, and what did not fit')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline status --json')
  status.action(does(async (context) => (await import('./status.ts')).statusCommand(context, status.opts())))

  const start = root
    .command('start')
    .description('the nightly process: sync and reports when they are due, until it is stopped')
    .option('--health', 'say how the process that keeps the schedule fares, and start nothing')
    .addOption(json())
    .addHelpText('after', START_HELP)
  start.action(does(async (context) => (await import('./start.ts')).startCommand(context, start.opts())))

  const call = root
    .command('call [operation] [input]')
    .description('any operation of the service; the input is JSON, @file or -')
    .option('--yes', 'do not ask before an operation that changes something')
    .option('--account <name>', 'whose key to use, where several accounts are configured')
    // An option of its own: the text comes from the contract, which is loaded only when it is needed.
    .helpOption(false)
    .option('-h, --help', 'what there is to call; after an operation, its fields and limits')
    .addHelpText('after', '\nfaultline call --help lists the operations.')
  call.action(
    does(async (context) => {
      const [name, input] = call.args
      const { help, ...flags } = call.opts()
      if (name !== undefined && !help)
        return (await import('./call.ts')).callCommand(context, name, input, flags)
      const { operationHelp, operationsHelp } = await import('./call-help.ts')
      const text = name === undefined ? `${call.helpInformation()}\n${operationsHelp()}` : operationHelp(name)
      if (help) console.out(text)
      else console.note(text)
      return help ? 0 : 2
    }),
  )

  const sandbox = root
    .command('sandbox')
    .description('the service, at home: develop and test without a key')
    .option('--port <n>', 'port on this machine; 0 takes a free one', '8080')
    .option('--incidents <n>', 'how many incidents the made-up company had')
    .option('--seed <n>', 'another seed is another company')
    .option('--account <id>', 'number of the account; its other ids depend on the seed alone')
    .option('--now <time>', "the sandbox's time: a date or a time with its zone")
    .option('--data <dir>', 'serve the records of this folder instead')
    .option('--state <dir>', 'keep accepted writes here, and find them again on the next start')
    .option('--faults <spec>', 'probabilities of faults, such as status_500=0.1,reset=0.05')
    .option('--latency <ms>', 'wait before each answer')
    .option('--no-limits', 'no rate limits')
    .option('--limiter <kind>', 'how requests are counted: sliding (default) or fixed windows')
    .option('--no-retry-after', 'refuse beyond the limits without saying how long to wait')
    .option('--openapi', 'print the service as an OpenAPI 3.1 document, and start nothing')
    .addHelpText('after', SANDBOX_HELP)
  sandbox.action(
    does(async (context) => (await import('./sandbox.ts')).sandboxCommand(context, sandbox.opts())),
  )
  return root
}

/** From here on a command ends by itself when it is told to stop; all others are ended by the system, at once. */
function listenForStop() {
  if (isListening) return
  isListening = true
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // The second one means it.
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort(new Error(`stopped by ${signal}`))
    })
  }
}

/** What the reader is told; never a stack, never a key. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (stopping.signal.aborted) {
    console.note('Stopped. What was stored is kept; the next sync goes on from there.')
    return 1
  }
  if (error instanceof FaultlineError) {
    console.note(`error: ${error.message}${error.next ? `\n  ${error.next}` : ''}`)
    return error.exitCode
  }
  console.note(`error: ${error instanceof Error ? error.message : String(error)}`)
  console.note('  This is a fault in Faultline. Please report it with the command you ran.')
  return 1
}

// What nobody caught is told like the rest: Node would print it as it is, and it could name the key.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => process.exit(tell(error)))
}

try {
  await program().parseAsync()
} catch (error) {
  process.exitCode = tell(error)
}
