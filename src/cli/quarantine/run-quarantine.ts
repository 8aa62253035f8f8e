import { type Config, loadConfig } from '../../config/config.ts'
import { parseJson, stringifyJson } from '../../contract/json.ts'
import { ConfigError } from '../../errors.ts'
import { cleanForTerminal } from '../../render/sanitize-text.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import type { Cell } from '../../warehouse/read/cell.ts'
import { openIfThere, openReader, type Reader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { readWorkingFiles, whyUnread } from '../../warehouse/read/working-files.ts'
import type { Flags, Texts } from '../command.ts'
import type { Context } from '../context.ts'
import { parseCountOption } from '../parse-count-option.ts'
import { instant, textTable } from '../text-table.ts'
import { forget, replay } from './replay-and-forget.ts'

export type QuarantineOptions = Texts<'limit' | 'show' | 'forget'> & Flags<'replay' | 'json'>

/** A row of the view `waiting`. The id is the same in every copy of the warehouse. */
type QuarantinedRecord = Readonly<
  Record<'id' | 'resource' | 'operation' | 'path' | 'reason' | 'payload', string> &
    Record<'account_id' | 'first_seen_at' | 'seen_at' | 'times_seen' | 'run_id' | 'request_id', Cell>
>

interface Filter {
  /** Prefix that the ids of the records must have. An empty prefix matches all records. */
  readonly id: string
  readonly limit: number
}

interface Found {
  readonly records: readonly QuarantinedRecord[]
  /** Number of records that match, including those beyond the limit. */
  readonly total: number
}

export async function runQuarantine(context: Context, options: QuarantineOptions): Promise<number> {
  const config = loadConfig(context.overrides)
  if (options.replay) return replay(context, config, options)
  const pick = async (id: string, option: string) =>
    picked(await readNewest(context, config, { id: id.toLowerCase(), limit: 1 }), id, option)
  if (options.forget !== undefined) return forget(context, config, await pick(options.forget, '--forget'))
  if (options.show !== undefined) {
    const one = await pick(options.show, '--show')
    context.console.out(options.json ? stringifyJson(one) : recordText(one))
    return 0
  }
  const limit = parseCountOption('--limit', options.limit) ?? 20
  const found = await readNewest(context, config, { id: '', limit })
  const { records, total } = found
  context.console.out(options.json ? stringifyJson({ waiting: total, records }) : listText(found))
  return 0
}

/** Reads the working files. For an account that a sync is writing, reads the published copy instead. */
async function readNewest(
  context: Context,
  { warehouse: location, sync, settings }: Config,
  wanted: Filter,
): Promise<Found> {
  const options = { memoryLimit: sync.memoryLimit, settings }
  const warehouse = await resolveStorage(location)
  const own = await readWorkingFiles(warehouse, options, (reader) => readWaiting(reader, wanted, []))
  for (const why of whyUnread(own)) context.console.note(`${why}: showing its last published data.`)
  const found = own.flatMap((one) => one.found ?? [])
  const reader = await (own.length > 0 ? openIfThere : openReader)(warehouse, options)
  if (reader) {
    const read = own.flatMap(({ accountId, found }) => (found ? [accountId] : []))
    found.push(await readWaiting(reader, wanted, read).finally(reader.close))
  }
  const time = ({ first_seen_at: at }: QuarantinedRecord) => (at instanceof Date ? at.getTime() : 0)
  const records = found
    .flatMap((one) => one.records)
    .sort((a, b) => time(b) - time(a) || (a.id < b.id ? -1 : 1))
    .slice(0, wanted.limit)
  return { records, total: found.reduce((sum, { total }) => sum + total, 0) }
}

/** Returns the newest quarantined records. @param without ids of accounts to leave out */
async function readWaiting(
  reader: Reader,
  { id, limit }: Filter,
  without: readonly bigint[],
): Promise<Found> {
  // Older versions did not store the account. Such records are never left out.
  const isOther = 'not coalesce(list_contains($without, account_id::varchar), false)'
  const from = `from waiting where starts_with(id, $id) and ${isOther}`
  const parameters = { id, without: without.map(String) }
  const { rows } = await reader.query(`select count(*)::int ${from}`, parameters)
  const newest = `${from} order by first_seen_at desc nulls last, id limit ${limit}`
  const records = objectsOf(await reader.query(newest, parameters)) as unknown as QuarantinedRecord[]
  return { records, total: Number(rows[0]![0]) }
}

function listText({ records, total }: Found): string {
  if (total === 0) return 'No quarantined records.'
  const isShared = new Set(records.map((one) => one.account_id)).size > 1
  const account = isShared ? ['account'] : []
  const times = ['first seen', 'last seen', 'runs', 'run']
  const header = ['id', ...account, 'resource', 'violation', ...times, 'request', 'record']
  const rows = records.map((one) => [
    one.id,
    ...(isShared ? [String(one.account_id)] : []),
    one.resource,
    cut(one.path === '' ? one.reason : `${one.path}: ${one.reason}`, 60),
    instant(one.first_seen_at),
    instant(one.seen_at),
    String(one.times_seen),
    String(one.run_id ?? '-'),
    String(one.request_id ?? '-'),
    cut(one.payload, 40),
  ])
  const right = header.map((name) => name === 'runs' || name === 'run')
  const more = total - records.length
  return [
    ...textTable([header, ...rows], right),
    '',
    more > 0
      ? `${more.toLocaleString('en')} more; --limit ${total} shows all.`
      : `${total.toLocaleString('en')} quarantined ${total === 1 ? 'record' : 'records'}.`,
    '--show ID shows a record, --forget ID discards it, and --replay validates all records again.',
    '`faultline sync --full` reads all records again. A valid copy removes its record from quarantine.',
  ].join('\n')
}

/** Returns the only matching record. @throws ConfigError if there is none, or more than one */
function picked({ records, total }: Found, id: string, option: string): QuarantinedRecord {
  const [only] = id === '' ? [] : records
  if (only && total === 1) return only
  throw new ConfigError(
    only ? `${option}: ${total} record ids begin with "${id}".` : `${option}: no quarantined record "${id}".`,
    { next: 'List the ids with `faultline quarantine`.' },
  )
}

function recordText(one: QuarantinedRecord): string {
  const facts = [
    `record ${one.id} of ${one.resource}, account ${one.account_id}`,
    `invalid: ${one.path === '' ? 'the record' : one.path}: ${one.reason}`,
    `first seen ${instant(one.first_seen_at)}, last seen ${instant(one.seen_at)} by run ${one.run_id}, in ${one.times_seen} runs`,
    `${one.operation}, request ${one.request_id}`,
  ]
  const record = stringifyJson(parseJson(one.payload), 2)
  return [...facts, '', ...record.split('\n')].map(cleanForTerminal).join('\n')
}

function cut(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}
