import { loadConfig } from '../config/config.ts'
import { stringifyJson } from '../contract/json.ts'
import { ConfigError } from '../errors.ts'
import { maintain } from '../warehouse/lake/maintain.ts'
import { type Repaired, repair } from '../warehouse/lake/repair.ts'
import type { Context } from './context.ts'

/**
 * `faultline maintain`: merges small files of a lake, forgets old states and removes what nothing needs; with --repair it mends
 * accounts whose rows are there twice, and nothing else.
 */
export async function maintainCommand(
  { console, overrides }: Context,
  flags: { readonly json?: boolean; readonly repair?: boolean },
): Promise<number> {
  const { warehouse: lake } = loadConfig(overrides)
  if (typeof lake === 'string') {
    throw new ConfigError('`maintain` is for a lake, and the warehouse is one file, which needs none.')
  }
  if (flags.repair) {
    const repaired = await repair(lake)
    console.out(flags.json ? stringifyJson({ repaired }) : repairedText(String(lake), repaired))
    return 0
  }
  const done = await maintain(lake, lake.retentionDays)
  const { merged, expired, removed } = done
  console.out(
    flags.json
      ? JSON.stringify(done)
      : `${lake}: ${merged} merges of files, ${expired} former states forgotten, ${removed} files removed.`,
  )
  return 0
}

function repairedText(lake: string, repaired: readonly Repaired[]): string {
  if (repaired.length === 0)
    return `${lake}: nothing to repair, each account has the rows that were published.`
  const lines = repaired.map(({ accountId, tables }) => {
    const changed = tables.map(({ table, before, after }) => `${table} ${before} → ${after}`)
    return `Account ${accountId}: ${changed.join(', ')} rows; every value is what was published.`
  })
  return lines.join('\n')
}
