import { Argument, Command, CommanderError, Option } from 'commander'
import { wordsOf } from '../errors.ts'
import { ownError } from '../foreign-errors.ts'
import { version } from '../version.ts'
import type { Console } from './console.ts'
import type { Context } from './context.ts'
import { traced } from './trace.ts'

const SANDBOX_HELP = `
Prints {"base_url": …, "app_key": …, "now": …} as one line, then serves until it is stopped.
It listens on this machine only. The key is made up and has every permission. Its clock runs; with --stand it stands
still until it is set, so that the same requests get the same answers.

Faults: status_429, status_429_bare, status_500, reset, truncate, malformed, wrong_shape, wrong_payload,
repeat_cursor, duplicate_row, drop_row, shifted_page, foreign_account, empty, future_clock, ignored_window,
stale_cache, member_leaves, team_deleted and late_edit from 0 to 1, and slow_ms. The same seed
and requests get the same faults.

Control endpoints, for tests: GET /_sandbox/world, stats, audit, truth, state, clock, faults;
POST /_sandbox/clock {"advance_s": 3600} or {"now": …}, POST /_sandbox/faults {"status_500": 0.1}.
They answer programs of this machine that send the header Sec-Faultline-Sandbox: 1, and no web page.

Examples:
  faultline sandbox --port 8080 --incidents 100000
  faultline sandbox --seed 7 --now 2026-03-01 --state out/sandbox
  faultline sandbox --env > sandbox.env & sleep 2; . ./sandbox.env
  faultline sandbox --openapi > openapi.json`

const START_HELP = `
Times are cron expressions in the configuration: \`schedule.sync\` (default: 02:30) and the
\`schedule\` of each report, in \`schedule.timezone\`. A run that was missed while the process was
down is caught up once. It logs JSON lines to standard error, writes its state to a health file
beside the warehouse, and stops within seconds of SIGTERM; stored data is kept.

With --health the exit status is 1 when the last sync failed, is overdue, or the process is not running; with --alive only when
the process is not running, or hangs: to start it again helps.

Examples:
  faultline start --metrics 9464
  faultline start --health`

const KEPT = ' Stored data is kept; the next sync resumes there.'

/** What is left of a command that was stopped. */
const STOPPED: Readonly<Record<string, string>> = {
  sync: KEPT,
  demo: KEPT,
  quarantine: KEPT,
  copy: ' Copied accounts are kept; copy again to complete it.',
  call: ' No answer came; a request that was sent may have been carried out.',
}

/** What the program is given of the process it runs in. */
interface Host {
  readonly console: Console
  /** Aborted when the command is to stop. */
  readonly stop: AbortSignal
  /** Called when a command wants to end by itself when it is told to stop. */
  listenForStop(): void
  keepSecret(secret: string): void
}

interface Program {
  /** Runs a command and prints what goes wrong. @returns its exit status */
  run(args: readonly string[]): Promise<number>
  /** Prints an error, never a stack or a key. @returns the exit status */
  printError(error: unknown): number
}

/** Makes the program anew: it runs one command. */
export function createProgram(host: Host): Program {
  let status = 0
  const root = commands(host, (code) => {
    status = code
  })
  let running = ''
  root.hook('preAction', (_, action) => {
    running = action.name()
  })
  const printError = (error: unknown) => statusOf(error, running, host)
  return {
    printError,
    async run(args) {
      try {
        await root.parseAsync(args, { from: 'user' })
        return status
      } catch (error) {
        return printError(error)
      }
    },
  }
}

/** The commands. Each loads its code when it is used, so that `--help` is instant. */
function commands(host: Host, end: (status: number) => void): Command {
  const { console, stop, keepSecret } = host
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
    .option('--insecure', 'allow http:// to another machine: the app key crosses the network in the clear')
    .option('--verbose', 'log every retry and request to standard error as JSON lines')
    .showHelpAfterError('(see --help)')
    // Before the commands, which take it over.
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void console.write(text),
      writeErr: (text) => console.note(text.trimEnd()),
    })

  const contextOf = (): Context => {
    const { verbose, ...overrides } = root.opts()
    return {
      console,
      overrides,
      verbose: verbose === true,
      get signal() {
        host.listenForStop()
        return stop
      },
      keepSecret,
    }
  }
  const does =
    (run: (context: Context) => Promise<number>) =>
    async (...given: unknown[]) => {
      const name = (given.at(-1) as Command).name()
      const act = () => run(contextOf())
      end(
        await traced(`faultline ${name}`, act, (status) => ({
          status,
          error: status === 1 ? 'failed' : null,
        })),
      )
    }
  const json = () => new Option('--json', 'print one JSON value, for programs')

  const demo = root
    .command('demo')
    .description('sync a sandbox and make all reports; needs no key and no configuration')
    .option('--out <dir>', 'folder of the warehouse and the reports', 'out/demo')
    .option('--incidents <n>', 'number of incidents of the made-up company')
    .addHelpText('after', '\nExample:\n  faultline demo --incidents 20000')
  demo.action(does(async (context) => (await import('./demo.ts')).demoCommand(context, demo.opts())))

  const init = root
    .command('init')
    .description('write config.json: asks on a terminal, takes options in scripts')
    .option('--app-key-file <file>', 'file that holds the app key (default: FAULTLINE_APP_KEY is used)')
    .option('--read-key', 'read the key from standard input and write it into that file')
    .option('--timezone <zone>', 'IANA zone of reports')
    .option('--since <date>', 'oldest incidents to read: a date or an age such as 90d')
    .option('--yes', 'use flags and defaults, ask nothing')
    .option('--force', 'replace existing files')
    .addHelpText(
      'after',
      '\nExample:\n  faultline init --base-url https://service.example --since 180d --yes',
    )
  init.action(does(async (context) => (await import('./init/init.ts')).initCommand(context, init.opts())))

  const config = root
    .command('config')
    .description('show the effective configuration, or print its JSON Schema for editors')
    .addHelpText('after', '\nExample:\n  faultline config show')
  const show = config
    .command('show')
    .description('every field that has a value, and where it came from; secrets are not shown')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline config show --config /etc/faultline/config.yaml')
  show.action(does(async (context) => (await import('./config.ts')).configShowCommand(context, show.opts())))
  config
    .command('schema')
    .description('the JSON Schema of the file, for editors')
    .addHelpText('after', '\nExample:\n  faultline config schema > config.schema.json')
    .action(does(async (context) => (await import('./config.ts')).configSchemaCommand(context)))

  const check = root
    .command('check')
    .description('check the configuration, key, service, warehouse and reports; changes nothing')
    .option('--deep', 'read every block of every file of the warehouse, and nothing else')
    .addOption(json())
    .addHelpText(
      'after',
      '\nExit status: 2 when the configuration is wrong, 1 when something else failed, else 0.\n\nExample:\n  faultline check --config /etc/faultline/config.json',
    )
  check.action(
    does(async (context) => (await import('./check/check.ts')).checkCommand(context, check.opts())),
  )

  const sync = root
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
  sync.action(
    does(async (context) => (await import('./sync/sync.ts')).syncCommand(context, sync.args, sync.opts())),
  )

  const report = root
    .command('report [name...]')
    .description(
      'make reports; also `report list`, `report check [name…]`, `report new NAME`, `report schema`',
    )
    .option('--period <period>', '13w, last month, this quarter, 2026-W12, 2026-Q1, 2026-01-01..2026-03-01 …')
    .option('--team <names>', 'only these teams, separated by commas; pages go to teams/ in the folder')
    .option('--teams', 'also the same reports for every team, each in its folder of teams/')
    .option('--severity <names>', 'only these severities, separated by commas')
    .option('--account <names>', 'only these accounts, by name or number, separated by commas')
    .option(
      '--all-accounts',
      'instead, of every account by itself, or of those of --account: accounts/ in the folder',
    )
    .option('--jobs <n>', 'accounts whose reports are made side by side (default: 3)')
    .option('--timezone <zone>', 'IANA zone of weeks, days and hours')
    .option('--as-of-snapshot <state>', 'of a lake: as it was at a time, or at a number of its states')
    .option(
      '--format <formats>',
      'html, csv, json, terminal, and with a Chromium pdf, png; separated by commas (default: html,csv)',
    )
    .option('--out <dir>', 'folder of the files (default: from the configuration)')
    .option('--deliver', 'also keep the pages by period with an index, and send them by mail and webhook')
    .option('--due', 'deliver those whose time has come by their schedule, once: for cron and Kubernetes')
    .option('--again', 'deliver even what was sent before')
    .option('--watch', 'make them again when a report file is saved')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline report mtta-mttr --period 13w --format terminal')
  report.action(
    does(async (context) =>
      (await import('./report/report.ts')).reportCommand(context, report.args, report.opts()),
    ),
  )

  const sql = root
    .command('sql [query]')
    .description('run one read-only statement on the warehouse; without one, on a terminal, a prompt')
    .addOption(
      new Option('--format <format>', 'output format').choices([
        'table',
        'expanded',
        'csv',
        'json',
        'markdown',
      ]),
    )
    .option(
      '--output <file>',
      'write the rows to this file; the format is that of its name (.csv, .json, .md)',
    )
    .option('--timeout <time>', 'how long it may take (default: 10m)')
    .option('--at <state>', 'of a lake: as it was at a time, an age such as 3d, or at a number of its states')
    .addOption(json())
    .addHelpText(
      'after',
      `\nExample:\n  faultline sql "select incident_severity, count(*) from incident_times group by all"`,
    )
  sql.action(
    does(async (context) => (await import('./sql/sql.ts')).sqlCommand(context, sql.args[0], sql.opts())),
  )

  const exporting = root
    .command('export [table...]')
    .description('write complete tables, and the view incident_times, as files; or those that are named')
    .option('--format <formats>', 'parquet, csv, ndjson, separated by commas', 'parquet')
    .option(
      '--to, --out <place>',
      'folder to create or replace, or s3://bucket/prefix/ (default: export, in the folder of reports)',
    )
    .option('--account <names>', 'only the rows of these accounts, by name or number, separated by commas')
    .option('--bom', 'begin CSV with a byte order mark, by which Excel knows UTF-8')
    .addOption(json())
    .addHelpText(
      'after',
      `
Parquet of incidents is partitioned by month of start_time. datapackage.json says of each column its type, unit and
meaning. An export replaces the previous one in its folder; in an object store file by file, manifest.json last.

Examples:
  faultline export --format parquet,csv --out /data/incidents
  faultline export incident_times --format ndjson
  faultline export --to s3://analytics/incidents/
  faultline export --account payments --out /data/payments`,
    )
  exporting.action(
    does(async (context) =>
      (await import('./export/export.ts')).exportCommand(context, exporting.args, exporting.opts()),
    ),
  )

  const quarantine = root
    .command('quarantine')
    .description('list rejected records, show one, or try them again')
    .option('--limit <n>', 'most records to list', '20')
    .option('--show <id>', 'print one record as received')
    .option('--replay', 'validate every record again and load those that are valid now')
    .option('--forget <id>', 'discard one record')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline quarantine --replay')
  quarantine.action(
    does(async (context) =>
      (await import('./quarantine/quarantine.ts')).quarantineCommand(context, quarantine.opts()),
    ),
  )

  const restore = root
    .command('restore [file]')
    .description('go back to the copy that was published before the present one, or to a backup')
    .addOption(json())
    .addHelpText(
      'after',
      `
The file is verified first. It takes the place of the published copy, which becomes the former one, so that a second
restore undoes the first. The next sync goes on from it and reads the rest again.

Examples:
  faultline restore
  faultline restore /backup/faultline.duckdb`,
    )
  restore.action(
    does(async (context) =>
      (await import('./restore.ts')).restoreCommand(context, restore.args[0], restore.opts()),
    ),
  )

  const copy = root
    .command('copy')
    .description('copy the warehouse into that of another configuration, and prove that they are equal')
    .requiredOption('--to <config>', 'configuration file of the other warehouse: a file, or a lake')
    .addOption(json())
    .addHelpText(
      'after',
      `
Copies what was published of every account, and compares every value of both. The other must be new: what an interrupted
copy left is completed. Stop syncs of both until it ends.

Examples:
  faultline copy --to lake.json
  faultline copy --config lake.json --to config.json`,
    )
  copy.action(does(async (context) => (await import('./copy.ts')).copyCommand(context, copy.opts())))

  const schema = root
    .command('schema [name...]')
    .description('describe every table, view and metric, or some, with their columns; needs no warehouse')
    .addOption(new Option('--format <format>', 'output format').choices(['markdown', 'json']))
    .addOption(json())
    .addHelpText('after', '\nExamples:\n  faultline schema incident_times\n  faultline schema --json')
  schema.action(
    does(async (context) => (await import('./schema.ts')).schemaCommand(context, schema.args, schema.opts())),
  )

  const opening = root
    .command('open [page]')
    .description('show the index, or the page of a report, in the browser')
    .option('--out <dir>', 'folder of the pages (default: from the configuration)')
    .addHelpText('after', '\nExample:\n  faultline open mtta-mttr')
  opening.action(
    does(async (context) =>
      (await import('./open.ts')).openCommand(context, opening.args[0], opening.opts()),
    ),
  )

  const serving = root
    .command('serve')
    .description('serve the pages on this machine, until stopped')
    .option('--out <dir>', 'folder of the pages (default: from the configuration)')
    .option('--port <n>', 'port on this machine; 0: any free one', '8000')
    .option('--watch', 'make reports again when their files are saved, and show them at once')
    .addHelpText('after', '\nExample:\n  faultline serve --watch')
  serving.action(does(async (context) => (await import('./serve.ts')).serveCommand(context, serving.opts())))

  const status = root
    .command('status')
    .description('show the last runs, how fresh the data is, and rejected records')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline status --json')
  status.action(does(async (context) => (await import('./status.ts')).statusCommand(context, status.opts())))

  const start = root
    .command('start')
    .description('run syncs and reports by the schedule, until stopped')
    .option('--health', "print the scheduler's health and exit")
    .option('--alive', 'exit with 0 while the scheduler lives, whatever became of its syncs')
    .option('--metrics <port>', 'serve OpenMetrics at /metrics of this port, on this machine (or HOST:PORT)')
    .option(
      '--metrics-file <file>',
      'write them to this file too, for the textfile collector of node_exporter',
    )
    .addOption(json())
    .addHelpText('after', START_HELP)
  start.action(
    does(async (context) => (await import('./start/start.ts')).startCommand(context, start.opts())),
  )

  const worker = root
    .command('work')
    .description('sync the accounts of a lake that are due, as one of several workers')
    .option('--once', 'end when nothing is due that no other worker has')
    .option('--accounts <names>', 'only these accounts, separated by commas (default: all)')
    .option('--jobs <n>', 'accounts synced side by side (default: 4)')
    .addHelpText('after', '\nExample:\n  faultline work --once')
  worker.action(does(async (context) => (await import('./work.ts')).workCommand(context, worker.opts())))

  const maintain = root
    .command('maintain')
    .description('bring a lake into shape: merge small files, forget old states, remove what nothing needs')
    .option('--repair', 'instead, mend accounts whose rows are there more than once')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline maintain')
  maintain.action(
    does(async (context) => (await import('./maintain.ts')).maintainCommand(context, maintain.opts())),
  )

  const account = root
    .command('account')
    .description('take an account out of the warehouse, for good: `account remove NAME`')
    .addHelpText('after', '\nExample:\n  faultline account remove payments')
  const removal = account
    .command('remove <name>')
    .description(
      'take every row of an account, by name or number, out of tables, working files and former copies',
    )
    .option('--yes', 'do not ask before')
    .addOption(json())
    .addHelpText(
      'after',
      `
Files are written anew, so that no byte of a row stays; of a lake all former states are forgotten, of every account. Pages, exports
and backups that were made before are not touched. Take the account out of the configuration first, or the next sync reads it again.

Example:
  faultline account remove payments --yes`,
    )
  removal.action(
    does(async (context) =>
      (await import('./account.ts')).accountRemoveCommand(context, removal.args[0]!, removal.opts()),
    ),
  )

  const call = root
    .command('call [operation] [input]')
    .description('call any operation of the service; the input is JSON, @file or -')
    .option('--yes', 'do not ask before an operation that changes data')
    .option('--account <name>', 'the account whose key to use, where several are configured')
    // Its help comes from the contract, which is loaded only when needed.
    .helpOption(false)
    .option('-h, --help', 'list the operations; after an operation, its fields and limits')
    .addHelpText('after', '\nfaultline call --help lists the operations.')
  call.action(
    does(async (context) => {
      const [name, input] = call.args
      const { help, ...flags } = call.opts()
      if (name !== undefined && !help)
        return (await import('./call/call.ts')).callCommand(context, name, input, flags)
      const { operationHelp, operationsHelp } = await import('./call/help.ts')
      const text = name === undefined ? `${call.helpInformation()}\n${operationsHelp()}` : operationHelp(name)
      if (help) console.out(text)
      else console.note(text)
      return help ? 0 : 2
    }),
  )

  const sandbox = root
    .command('sandbox')
    .description('run a local, stateful emulator of the API, to develop and test without a key')
    .option('--port <n>', 'port on this machine; 0: any free one', '8080')
    .option('--incidents <n>', 'number of incidents of the made-up company')
    .option('--seed <n>', 'seed of the made-up company')
    .option('--account <id>', 'id of the account; all other ids depend on the seed')
    .option('--now <time>', "the sandbox's clock: a date, or a time with its zone")
    .option('--stand', 'let the clock stand still until it is set')
    .option('--env', 'print the address and the key as exports for a shell')
    .option('--data <dir>', 'serve the records in this folder instead')
    .option('--state <dir>', 'keep writes in this folder for the next start')
    .option('--faults <spec>', 'probabilities of faults, such as status_500=0.1,reset=0.05')
    .option('--latency <ms>', 'delay of each answer')
    .option('--no-limits', 'no rate limits')
    .option('--limiter <kind>', 'how requests are counted: sliding (default) or fixed windows')
    .option('--no-retry-after', 'leave Retry-After out of 429 answers')
    .option('--openapi', 'print the OpenAPI 3.1 document and exit')
    .addHelpText('after', SANDBOX_HELP)
  sandbox.action(
    does(async (context) => (await import('./sandbox.ts')).sandboxCommand(context, sandbox.opts())),
  )

  const completion = root
    .command('completion')
    .description('print the completion script of a shell: bash, zsh or fish')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nExample:\n  faultline completion bash > ~/.local/share/bash-completion/completions/faultline',
    )
  completion.action(
    does(async () => {
      const { completionFor } = await import('./completion.ts')
      await console.write(completionFor(root, completion.args[0] as 'bash'))
      return 0
    }),
  )
  root
    .command('man')
    .description('print the manual page')
    .addHelpText('after', '\nExample:\n  faultline man | man -l -')
    .action(
      does(async () => {
        await console.write((await import('./completion.ts')).manualPage(root, version))
        return 0
      }),
    )
  return root
}

function statusOf(error: unknown, running: string, { console, stop }: Host): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (stop.aborted) {
    console.note(`Stopped.${STOPPED[running] ?? ''}`)
    return 1
  }
  const known = ownError(error)
  console.error(wordsOf(known))
  return known.exitCode
}
