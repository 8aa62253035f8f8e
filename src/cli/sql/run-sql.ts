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
  readonly timeout?: string | undefined
  readonly to?: string | undefined
  readonly at?: string | undefined
  readonly escapeFormulas?: boolean | undefined
}

/** Runs `faultline sql` with one read-only statement, or starts the prompt on a terminal. */
export async function runSql(
  context: Context,
  query: string | undefined,
  options: SqlOptions,
): Promise<number> {
  const statements = statementProcess()
  try {
    // Starts the process now, while the configuration is loaded.
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
    throw new ConfigError('The query is missing.', {
      next: `Example: faultline sql "select * from incident_times limit 5"`,
    })
  }
  const run = { statements, seconds, format, signal: context.signal, at, escapeFormulas }
  if (options.to === undefined) await runStatement(context, config, text, run)
  else
    await intoFile(options.to, (console) => runStatement({ ...context, console }, config, text, run), context)
  return 0
}

/** Redirects output to a private file, which appears when complete. */
async function intoFile(
  path: string,
  act: (console: Console) => Promise<void>,
  { console, overrides }: Context,
): Promise<void> {
  // This import loads DuckDB, which otherwise only the statement process needs.
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
  // Node limits timers to 24 days.
  if (seconds !== undefined && seconds > 0 && seconds <= 86_400) return seconds
  throw new ConfigError(`--timeout: invalid duration "${text}" (maximum 24h).`, {
    next: 'Write 90s, 10m or 2h.',
  })
}

function readInput(): string {
  return process.stdin.isTTY ? '' : readFileSync(0, 'utf8')
}
