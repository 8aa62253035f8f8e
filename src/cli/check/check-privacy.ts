import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Config } from '../../config/config.ts'
import { resources } from '../../resources/index.ts'
import { twinsOf } from '../../resources/privacy/duplicate-columns.ts'
import { isExport } from '../../site/prune.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { addressColumns, nameColumns, ruledSince } from '../../warehouse/read/stored-personal-data.ts'
import { type CheckResult, ok, warn } from './check-result.ts'

/** Maximum number of columns or files that a message names. A message only counts the rest. */
const NAMED_MOST = 12

/** Reports stored personal data, and pages and exports that were created before the privacy rules. */
export async function checkPrivacy(
  reader: Reader,
  { privacy, out }: Pick<Config, 'privacy' | 'out'>,
): Promise<CheckResult[]> {
  const rules = [...privacy.drop, ...privacy.hash]
  const addresses = countsOf(await addressColumns(reader))
  const message = `possible e-mail addresses (rows): ${listed(addresses)}`
  if (addresses.length > 0 && rules.length === 0) return [ok('privacy', message)]
  const twins = twinsOf(rules, resources)
  const names = twins.names ? countsOf(await nameColumns(reader)) : []
  const former = rules.length === 0 ? [] : formerFiles(out, await ruledSince(reader))
  const found = [
    addresses.length > 0
      ? warn('privacy', message, nextOf('email'))
      : ok('privacy', 'no possible e-mail addresses found'),
  ]
  if (names.length > 0) {
    const text = `names of people are still stored (rows): ${listed(names)}`
    found.push(warn('privacy', text, nextOf('name')))
  }
  for (const { rule, others } of twins.columns) {
    const text = `${rule} has a privacy rule, but these columns may contain the same data: ${listed(others)}`
    found.push(warn('privacy', text, 'To remove them, add these columns to the rule and sync.'))
  }
  if (former.length > 0) {
    const text = `created before the privacy rules, may contain removed data: ${listed(former)}`
    const next = 'Delete these files and all copies of them, or regenerate them.'
    found.push(warn('privacy', text, next))
  }
  return found
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

/** Matches pages and tables. Files with the program's own state begin with a dot and do not match. */
const MADE = /^[^.].*\.(html|csv|json|pdf|png)$/

/** Returns pages and exports older than `since` (Unix ms), relative to the working directory. An export is one path. */
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
