import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { UNKNOWN_WORD } from '../../sync/undocumented-fields.ts'

import { holderOf } from '../../warehouse/file/file-lock.ts'
import { accountFiles, type WarehouseFiles, workingAccounts } from '../../warehouse/file/files.ts'
import { checkFile } from '../../warehouse/file/verify-file.ts'
import type { CheckOutcome, Published } from '../../warehouse/published.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { parserOn } from '../../warehouse/read/session-parser.ts'
import { instant } from '../text-table.ts'
import { type CheckResult, fail, failed, ok, resultsOf, warn } from './check-result.ts'

/** @param reader reads the published copy; undefined if nothing was published */
export async function checkWarehouse(
  published: Published,
  reader: Reader | undefined,
  timezone?: string | undefined,
): Promise<CheckResult[]> {
  const { files } = published
  const folder = dirname(files.folder)
  const unusable = folderFinding(folder)
  if (unusable) return [unusable]
  const copy = reader
    ? await resultsOf('warehouse', () => copyFinding(files, reader, timezone))
    : [noCopyFinding(files)]
  const counted = reader ? await published.count(parserOn(reader)) : []
  const foreign = reader?.notice === undefined ? [] : [warn('published copy', reader.notice)]
  return [...copy, ...foreign, ...counted.map(findingOf), spaceFinding(published, folder)]
}

function folderFinding(folder: string): CheckResult | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    return fail(
      'warehouse',
      existsSync(folder) ? `the folder ${folder} cannot be written` : `the folder ${folder} does not exist`,
      'Create it, correct its permissions, or set another path (--warehouse, FAULTLINE_WAREHOUSE or `warehouse`).',
    )
  }
}

function noCopyFinding(files: WarehouseFiles): CheckResult {
  const isStarted = workingAccounts(files).length > 0
  const why = isStarted ? 'no sync has been completed so far' : 'the first sync creates it'
  return ok('warehouse', `${files.name} does not exist yet: ${why}`)
}

async function copyFinding(
  files: WarehouseFiles,
  reader: Reader,
  timezone: string | undefined,
): Promise<CheckResult> {
  const read = async (sql: string) => objectsOf(await reader.query(sql))
  const [migrations] = await read(
    "from duckdb_tables() where table_name = 'faultline_migrations' and not temporary",
  )
  const [newest] = await read("from as_of where as_of_source = 'sync run' order by as_of_at desc")
  const lastRuns = await read('from runs order by started_at desc limit 5')
  if (migrations === undefined) {
    return fail(
      'warehouse',
      `${files.name} is not a Faultline warehouse`,
      'Set the file that `faultline sync` creates (--warehouse, or `warehouse` in config.json).',
    )
  }
  const throttled = lastRuns.reduce((sum, run) => sum + Number(run.throttled ?? 0), 0)
  const writers = await Promise.all(workingAccounts(files).map((account) => writerOf(files, account)))
  const facts = [
    `${files.name} opens`,
    newest?.as_of_at instanceof Date
      ? `as of ${instant(newest.as_of_at, timezone)}`
      : 'never completely synced',
    ...writers.flat(),
  ].join(', ')
  if (throttled === 0) return ok('warehouse', facts)
  return warn(
    'warehouse',
    `${facts}; 429 responses in the last five runs: ${throttled}`,
    'Other clients share this rate limit: lower `sync.quota`, or sync at another time.',
  )
}

async function writerOf(files: WarehouseFiles, account: bigint): Promise<string[]> {
  const holder = await holderOf(accountFiles(files, account).lock)
  return holder ? [`a sync is writing account ${account} (process ${holder.pid}, since ${holder.since})`] : []
}

function spaceFinding(published: Published, folder: string): CheckResult {
  const { bytes: size, what } = published.space()
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const facts = `${bytes(free)} free in ${folder}; ${what} ${bytes(size)}`
  if (free < size) return fail('disk', facts, 'Free up disk space, or move the warehouse to a larger disk.')
  if (free < 2 * size)
    return warn('disk', facts, 'Free up disk space, because the warehouse grows with every run.')
  return ok('disk', facts)
}

function bytes(count: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3))
  const value = count / 1_000 ** step
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${units[step]}`
}

/** Checks that the last sync verified all time windows. Also lists windows that a person accepted as incomplete. */
export async function checkProof(reader: Reader): Promise<CheckResult> {
  const rows = objectsOf(await reader.query('from freshness order by account, resource'))
  const named = (column: string) =>
    rows
      .filter((row) => Number(row[column]) > 0)
      .map((row) => `${row[column]} of ${row.resource} (${row.account})`)
      .join(', ')
  const unproven = named('windows_not_done')
  const accepted = named('windows_accepted')
  const hidden = named('private_ids')
  const facts = [
    ...(accepted === '' ? [] : [`windows accepted as incomplete: ${accepted}`]),
    ...(hidden === '' ? [] : [`private, not readable with this key: ${hidden}`]),
  ]
  if (unproven === '') return ok('complete', facts.join('; ') || 'all windows of the last sync were verified')
  return warn(
    'complete',
    [`incomplete or unverified windows: ${unproven}`, ...facts].join('; '),
    'Sync again to see the reason. To accept these windows as incomplete, run `faultline sync --accept-unproven`.',
  )
}

const UNKNOWN_VALUES =
  'The values are stored unchanged, but figures do not include them: an unknown severity is not high-severity. The table schema_drift shows when they first appeared.'

/** Checks whether the service sent enum values that its document does not list. Figures ignore such values. */
export async function checkWords(reader: Reader): Promise<CheckResult> {
  const words = new Map<string, Set<string>>()
  for (const { resource, field, kind } of objectsOf(await reader.query('from schema_drift order by all'))) {
    const word = String(kind)
    if (!word.startsWith(UNKNOWN_WORD)) continue
    const name = `${resource}.${field}`
    words.set(name, (words.get(name) ?? new Set()).add(word.slice(UNKNOWN_WORD.length)))
  }
  if (words.size === 0) return ok('words', 'no undocumented enum values')
  const found = [...words].map(([field, some]) => `${field}: ${[...some].join(', ')}`)
  return warn('words', `undocumented enum values: ${found.join('; ')}`, UNKNOWN_VALUES)
}

/** Verifies the published copy, the previous copy and the working files by reading them completely. */
export async function* verifyWarehouse(published: Published): AsyncGenerator<CheckResult> {
  const { files } = published
  for await (const one of published.verify()) yield findingOf(one)
  if (existsSync(files.former)) yield findingOf(await checkFile('previous copy', files.former))
  for (const account of workingAccounts(files)) yield await verifiedAccount(files, account)
}

async function verifiedAccount(files: WarehouseFiles, account: bigint): Promise<CheckResult> {
  const { working, lock } = accountFiles(files, account)
  const check = `account ${account}`
  const holder = await holderOf(lock)
  if (holder === undefined) return findingOf(await checkFile(check, working, { counts: false }))
  return warn(check, `a sync is writing ${working} (process ${holder.pid})`, 'Check again after the sync.')
}

function findingOf(checked: CheckOutcome): CheckResult {
  return 'error' in checked ? failed(checked.part, checked.error) : ok(checked.part, checked.found)
}
