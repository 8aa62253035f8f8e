import { loadConfig } from '../config/config.ts'
import { stringifyJson } from '../contract/json.ts'
import { publishedAt } from '../warehouse/file-or-lake.ts'
import type { Published } from '../warehouse/published.ts'
import type { Context } from './context.ts'

/**
 * `faultline maintain`: merges small files of a lake, forgets old states and removes what nothing needs; with --repair it mends
 * accounts whose rows are there twice, and nothing else.
 */
export async function maintainCommand(
  { console, overrides }: Context,
  flags: { readonly json?: boolean; readonly repair?: boolean },
): Promise<number> {
  const published = publishedAt(loadConfig(overrides).warehouse)
  const { name } = published
  if (flags.repair) {
    const repaired = await published.repair()
    console.out(flags.json ? stringifyJson({ repaired }) : repairedText(name, repaired))
    return 0
  }
  const done = await published.maintain()
  const { merged, expired, removed } = done
  console.out(
    flags.json
      ? JSON.stringify(done)
      : `${name}: ${merged} merges of files, ${expired} former states forgotten, ${removed} files removed.`,
  )
  return 0
}

function repairedText(name: string, repaired: Awaited<ReturnType<Published['repair']>>): string {
  if (repaired.length === 0)
    return `${name}: nothing to repair, each account has the rows that were published.`
  const lines = repaired.map(({ accountId, tables }) => {
    const changed = tables.map(({ table, before, after }) => `${table} ${before} → ${after}`)
    return `Account ${accountId}: ${changed.join(', ')} rows; every value is what was published.`
  })
  return lines.join('\n')
}
