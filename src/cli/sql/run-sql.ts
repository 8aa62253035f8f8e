import { readFileSync } from 'node:fs'
import { loadConfig } from '../../config/config.ts'
import { parseState } from '../../config/parse-timestamp.ts'
import { ConfigError } from '../../errors.ts'
import { type StatementProcess, statementProcess } from '../../warehouse/worker/statement-process.ts'
import type { Flags, Texts } from '../command.ts'
import type { Console } from '../console.ts'
import type { Context } from '../context.ts'
import { startOfDayIn } from '../option-dates.ts'
import { parseTimeout } from '../parse-timeout.ts'
import { formatNamed, openResultFile } from './result-file.ts'
import { isEmpty, type OutputFormat, runStatement } from './statement.ts'

interface SqlOptions extends Texts<'timeout' | 'to' | 'at'>, Flags<'escapeFormulas' | 'json'> {
  readonly format?: OutputFormat | undefined
}

export async function runSql(
  context: Context,
  query: string | undefined,
  options: SqlOptions,
): Promise<number> {
  const statements = statementProcess()
  // Starts the other process early, in parallel with loading the configuration.
  statements.start()
  return runWith(statements, context, query, options).finally(statements.close)
}

async function runWith(
  statements: StatementProcess,
  context: Context,
  query: string | undefined,
  { to, escapeFormulas, json, timeout = '10m', ...options }: SqlOptions,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const seconds = parseTimeout(timeout, 24, 'Write 90s, 10m or 2h.')
  const at = parseState(options.at, '--at', startOfDayIn(config))
  const format = json ? 'json' : (options.format ?? (to === undefined ? 'table' : formatNamed(to)))
  const run = { statements, seconds, format, at, escapeFormulas }
  const { isTTY } = process.stdin
  if (query === undefined && isTTY && process.stdout.isTTY && to === undefined) {
    const { sqlPrompt } = await import('./prompt.ts')
    return sqlPrompt(context, config, run)
  }
  const input = () => (isTTY ? '' : readFileSync(0, 'utf8'))
  const text = query === undefined || query === '-' ? input() : query
  if (isEmpty(text)) {
    throw new ConfigError('The query is missing.', {
      next: `Example: faultline sql "select * from incident_times limit 5"`,
    })
  }
  const act = (own: Context) => runStatement(own, config, text, { ...run, signal: context.signal })
  if (to === undefined) await act(context)
  else await intoFile(to, (console) => act({ ...context, console }), context)
  return 0
}

/** Writes what `act` prints to a file that only its owner can read. The file appears when it is complete. */
async function intoFile(
  path: string,
  act: (console: Console) => Promise<void>,
  { console, overrides }: Context,
): Promise<void> {
  // Imported only here, because the module loads DuckDB. Without --to, only the statement process needs DuckDB.
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
