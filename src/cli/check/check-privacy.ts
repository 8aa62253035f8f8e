import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Config } from '../../config/config.ts'
import { resources } from '../../resources/index.ts'
import { twinsOf } from '../../resources/privacy/duplicate-columns.ts'
import { isExport } from '../../site/prune.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { addressColumns, nameColumns, ruledSince } from '../../warehouse/read/stored-personal-data.ts'
import { type CheckResult, failed, ok, warn } from './check-result.ts'

/** Maximum number of columns or files listed by name. The rest are only counted. */
const NAMED_MOST = 12

/** Reports stored personal data. If there are privacy rules, also reports files that are older than the rules. */
export async function checkPrivacy(
  reader: Reader,
  { privacy, out }: Pick<Config, 'privacy' | 'out'>,
): Promise<CheckResult[]> {
  const rules = [...privacy.drop, ...privacy.hash]
  try {
    const addresses = countsOf(await addressColumns(reader))
    if (addresses.length === 0)
      return [ok('privacy', 'no possible e-mail addresses found'), ...(await more())]
    const message = `possible e-mail addresses (rows): ${listed(addresses)}`
    if (rules.length === 0) return [ok('privacy', message)]
    return [warn('privacy', message, nextOf('email')), ...(await more())]
  } catch (error) {
    return [failed('privacy', error)]
  }

  async function more(): Promise<CheckResult[]> {
    const twins = twinsOf(rules, resources)
    const names = twins.names ? countsOf(await nameColumns(reader)) : []
    const former = rules.length === 0 ? [] : formerFiles(out, await ruledSince(reader))
    return [
      ...(names.length > 0
        ? [warn('privacy', `names of people are still stored (rows): ${listed(names)}`, nextOf('name'))]
        : []),
      ...twins.columns.map(({ rule, others }) =>
        warn(
          'privacy',
          `${rule} has a privacy rule, but these columns may contain the same data: ${listed(others)}`,
          'To remove them, add these columns to the rule and sync.',
        ),
      ),
      ...(former.length > 0
        ? [
            warn(
              'privacy',
              `created before the privacy rules, may contain removed data: ${listed(former)}`,
              'Delete these files and all copies of them, or regenerate them.',
            ),
          ]
        : []),
    ]
  }
}

const nextOf = (kind: 'email' | 'name') =>
  `To remove them, add \`${kind}\` to \`privacy.hash\` or \`privacy.drop\` (covers all columns except ids), and sync.`

function countsOf(columns: readonly { table: string; column: string; rows: bigint }[]): string[] {
  return columns.map(({ table, column, rows }) => `${table}.${column} (${rows})`)
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMED_MOST
  return `${names.slice(0, NAMED_MOST).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

// Hidden files contain state of the program and need not be removed.
const MADE = /^[^.].*\.(html|csv|json|pdf|png)$/

/** Returns the paths of pages and exports older than `since`, relative to the folder. An export counts as one path. */
function formerFiles(out: string, since: number | null): string[] {
  if (since === null || !existsSync(out)) return []
  const isOlder = (path: string) => statSync(path).mtimeMs < since
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && isExport(path))
        return isOlder(join(path, 'manifest.json')) ? [`${path}/`] : []
      if (entry.isDirectory()) return walk(path)
      return entry.isFile() && MADE.test(entry.name) && isOlder(path) ? [path] : []
    })
  return walk(out)
    .map((path) => relative('', path))
    .sort()
}
