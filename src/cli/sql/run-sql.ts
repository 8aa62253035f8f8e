import { readFileSync } from 'node:fs'
import { loadConfig } from '../../config/config.ts'
import { parseState } from '../../config/parse-timestamp.ts'
import { ConfigError } from '../../errors.ts'
import { parseDuration } from '../../settings/duration.ts'
import { type StatementProcess, statementProcess } from '../../warehouse/worker/statement-process.ts'
import type { Console } from '../console.ts'
import type { Context } from '../context.ts'
import { startOfDayIn } from '../option-dates.ts'
import { formatNamed, openResultFile } from './result-file.ts'
import { isEmpty, type OutputFormat, runStatement } from './statement.ts'

interface SqlOptions {
  readonly format?: OutputFormat | undefined
  /** `90s`, `10m`. */
  readonly timeout?: string | undefined
  /** File to write to instead. */
  readonly to?: string | undefined
  /** Of a lake: a former state. */
  readonly at?: string | undefined
  readonly escapeFormulas?: boolean | undefined
}

/**
 * `faultline sql`: runs one read-only statement on the published copy and prints the rows as they come; on a terminal without
 * a statement, a prompt.
 */
export async function runSql(
  context: Context,
  query: string | undefined,
  options: SqlOptions,
): Promise<number> {
  const statements = statementProcess()
  try {
    // While the configuration is read.
    statements.start()
    return await runWith(statements, context, query, options)
  } finally {
    statements.close()
  }
}

async function runWith(
  statements: StatementProcess,
  context: Context,
  query: string | undefined,
  options: SqlOptions,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const { escapeFormulas } = options
  const seconds = secondsOf(options.timeout ?? '10m')
  const at = parseState(options.at, '--at', startOfDayIn(config))
  const format = options.format ?? (options.to === undefined ? 'table' : formatNamed(options.to))
  if (query === undefined && process.stdin.isTTY && process.stdout.isTTY && options.to === undefined) {
    const { sqlPrompt } = await import('./prompt.ts')
    return sqlPrompt(context, config, { statements, seconds, format, at, escapeFormulas })
  }
  const text = query === undefined || query === '-' ? readInput() : query
  if (isEmpty(text)) {
    throw new ConfigError('There is no query.', {
      next: `Write one: faultline sql "select * from incident_times limit 5"`,
    })
  }
  const run = { statements, seconds, format, signal: context.signal, at, escapeFormulas }
  if (options.to === undefined) await runStatement(context, config, text, run)
  else
    await intoFile(options.to, (console) => runStatement({ ...context, console }, config, text, run), context)
  return 0
}

/** Writes what a console is given into a file for its owner only, which appears when it is complete. */
async function intoFile(
  path: string,
  act: (console: Console) => Promise<void>,
  { console, overrides }: Context,
): Promise<void> {
  // It loads DuckDB, which only the process of statements needs otherwise.
  const { refuseToOverwriteInputs } = await import('../check-output-path.ts')
  await refuseToOverwriteInputs(path, '--to', overrides)
  const file = openResultFile(path)
  try {
    await act({ ...console, screenWidth: undefined, write: async (text) => file.write(text) })
    file.keep()
  } finally {
    file.close()
  }
  console.note(`Wrote ${path}`)
}

function secondsOf(text: string): number {
  const seconds = parseDuration(text)
  // Timers of Node reach 24 days.
  if (seconds !== undefined && seconds > 0 && seconds <= 86_400) return seconds
  throw new ConfigError(`--timeout: "${text}" is not a time up to a day.`, { next: 'Write 90s, 10m or 2h.' })
}

/** Standard input, unless it is a terminal. */
function readInput(): string {
  return process.stdin.isTTY ? '' : readFileSync(0, 'utf8')
}
