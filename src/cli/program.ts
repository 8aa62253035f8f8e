import { CommanderError } from 'commander'
import { errorText } from '../errors.ts'
import { toFaultlineError } from '../external-errors.ts'
import { version } from '../version.ts'
import { type Cli, Command } from './command.ts'
import { commands } from './commands.ts'
import type { Console } from './console.ts'
import type { Context } from './context.ts'

interface Host extends Pick<Context, 'console' | 'keepSecret'> {
  readonly stop: AbortSignal
  /** Makes Ctrl-C and other signals abort `stop`. Without this call, these signals end the process. */
  listenForStop(): void
}

/** Creates the program that runs one command line. @param joined the commands (default: those of Faultline) */
export function createProgram(host: Host, joined = commands) {
  let status = 0
  let left = ''
  const root = rootCommand(host.console)
  const runs: Cli['runs'] =
    (run, stopped = '') =>
    async (...given) => {
      left = stopped
      given.pop()
      status = await run(contextOf(host, root.opts()), ...(given as never))
    }
  const loads: Cli['loads'] = (load, ...stopped) =>
    runs(async (...given) => (await load())(...given), ...(stopped as [string?]))
  const cli: Cli = { parent: root, runs, loads }
  for (const join of joined) join(cli)
  const printError = (error: unknown) => statusOf(error, left, host)
  return {
    /** Prints an error without its stack trace and without secrets. @returns the exit status */
    printError,
    /** Runs a command and prints its errors. @returns the exit status */
    async run(args: readonly string[]) {
      try {
        await root.parseAsync(args, { from: 'user' })
        return status
      } catch (error) {
        return printError(error)
      }
    },
  }
}

/** Subcommands are added later, because a subcommand copies the output settings of its parent. */
function rootCommand(console: Console) {
  const root = new Command('faultline')
  return root
    .description(
      'Syncs an incident-management service into one DuckDB file and turns it into reliability figures.',
    )
    .version(version)
    .option('--config <file>', 'configuration file (default: config.json, or FAULTLINE_CONFIG)')
    .option(
      '--warehouse <file>',
      'DuckDB file that reports and queries read (default: from the configuration, or FAULTLINE_WAREHOUSE)',
    )
    .option(
      '--base-url <url>',
      'address of the service (default: from the configuration, or FAULTLINE_BASE_URL)',
    )
    .option('--insecure', 'allow http:// to another machine, which sends the app key unencrypted')
    .option('--verbose', 'log every retry and request to standard error as JSON lines')
    .showHelpAfterError('(see --help)')
    .configureHelp({
      showGlobalOptions: true,
      // Without this line, the help of `report list` would show the options of `report`.
      visibleGlobalOptions: ({ parent }) => (parent ? [...root.options] : []),
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void console.write(text),
      writeErr: (text) => console.note(text.trimEnd()),
    })
}

type GlobalOptions = ReturnType<ReturnType<typeof rootCommand>['opts']>

function contextOf(host: Host, { verbose, ...overrides }: GlobalOptions): Context {
  const { console, stop, keepSecret } = host
  return {
    ...{ console, overrides, keepSecret },
    verbose: verbose === true,
    get signal() {
      host.listenForStop()
      return stop
    },
  }
}

function statusOf(error: unknown, left: string, { console, stop }: Host): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (stop.aborted) {
    console.note(`Stopped.${left}`)
    return 1
  }
  const known = toFaultlineError(error)
  console.error(errorText(known))
  return known.exitCode
}
