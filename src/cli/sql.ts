import { readFileSync } from 'node:fs'
import { loadConfig } from '../config.ts'
import { ConfigError } from '../errors.ts'
import { toCsv } from '../render/to-csv.ts'
import { openReader } from '../warehouse/reader.ts'
import type { Context } from './context.ts'
import { type OutputFormat, resultText } from './result-text.ts'

export interface SqlFlags {
  readonly format?: OutputFormat
  readonly json?: boolean
}

/** `faultline sql`: one read-only statement on the published copy. */
export async function sqlCommand(
  context: Context,
  query: string | undefined,
  flags: SqlFlags,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const text = query === undefined || query === '-' ? readInput() : query
  if (text.trim() === '') {
    throw new ConfigError('There is no query.', {
      next: `Write one: faultline sql "select * from incident_times limit 5"`,
    })
  }
  const reader = await openReader(config.warehouse, {
    memoryLimit: config.reporting.memoryLimit,
    settings: config.settings,
  })
  try {
    const result = await reader.query(text)
    const format = flags.json ? 'json' : (flags.format ?? 'table')
    if (format === 'csv') process.stdout.write(toCsv(result))
    else context.console.out(resultText(result, format))
    return 0
  } finally {
    reader.close()
  }
}

/** Standard input, unless that is a keyboard. */
function readInput(): string {
  return process.stdin.isTTY ? '' : readFileSync(0, 'utf8')
}
