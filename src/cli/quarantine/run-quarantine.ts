import { type Config, loadConfig } from '../../config/config.ts'
import { parseJson, stringifyJson } from '../../contract/json.ts'
import { ConfigError } from '../../errors.ts'
import { cleanForTerminal } from '../../render/sanitize-text.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { openIfThere, openReader } from '../../warehouse/read/reader.ts'
import { readWorkingFiles, whyUnread } from '../../warehouse/read/working-files.ts'
import type { Context } from '../context.ts'
import { parseCountOption } from '../parse-count-option.ts'
import { instant, textTable } from '../text-table.ts'
import {
  mergePages,
  type QuarantinedRecord,
  type QuarantineFilter,
  type QuarantinePage,
  readWaiting,
} from './quarantined-records.ts'
import { forget, replay } from './replay-and-forget.ts'

export interface QuarantineOptions {
  readonly limit?: string | undefined
  readonly show?: string | undefined
  readonly replay?: boolean | undefined
  readonly forget?: string | undefined
  readonly json?: boolean | undefined
}

export async function runQuarantine(context: Context, options: QuarantineOptions): Promise<number> {
  const config = loadConfig(context.overrides)
  if (options.replay) return replay(context, config, options)
  const pick = async (id: string, option: string) =>
    picked(await readNewest(context, config, { id: id.toLowerCase(), limit: 1 }), id, option)
  if (options.forget !== undefined) return forget(context, config, await pick(options.forget, '--forget'))
  if (options.show !== undefined) show(context, await pick(options.show, '--show'), options)
  else {
    const limit = parseCountOption('--limit', options.limit) ?? LIMIT
    list(context, await readNewest(context, config, { id: '', limit }), options)
  }
  return 0
}

/** Reads quarantined records from the working files. If the file of an account is in use, reads its published copy. */
async function readNewest(
  context: Context,
  { warehouse: location, sync, settings }: Config,
  wanted: QuarantineFilter,
): Promise<QuarantinePage> {
  const options = { memoryLimit: sync.memoryLimit, settings }
  const warehouse = await resolveStorage(location)
  const own = await readWorkingFiles(warehouse, options, (reader) => readWaiting(reader, wanted))
  const waiting = own.flatMap(({ found }) => found ?? [])
  for (const why of whyUnread(own)) context.console.note(`${why}: showing its last published data.`)
  const reader = await (own.length > 0 ? openIfThere : openReader)(warehouse, options)
  if (reader === undefined) return mergePages(waiting, wanted)
  try {
    const read = own.flatMap(({ accountId, found }) => (found ? [accountId] : []))
    return mergePages([...waiting, await readWaiting(reader, wanted, read)], wanted)
  } finally {
    reader.close()
  }
}

const LIMIT = 20

function list({ console }: Context, { records: shown, total }: QuarantinePage, options: QuarantineOptions) {
  if (options.json) {
    console.out(stringifyJson({ waiting: total, records: shown }))
    return
  }
  if (total === 0) {
    console.out('No quarantined records.')
    return
  }
  const isShared = new Set(shown.map((one) => one.account_id)).size > 1
  const header = [
    'id',
    ...(isShared ? ['account'] : []),
    'resource',
    'violation',
    'first seen',
    'last seen',
    'runs',
    'run',
    'request',
    'record',
  ]
  const rows = shown.map((one) => [
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
  const more = total - shown.length
  console.out(
    [
      ...textTable([header, ...rows], right),
      '',
      more > 0
        ? `${more.toLocaleString('en')} more; --limit ${total} shows all.`
        : `${total.toLocaleString('en')} quarantined ${total === 1 ? 'record' : 'records'}.`,
      '--show ID shows a record, --forget ID discards it, and --replay validates all records again.',
      '`faultline sync --full` reads all records again. A valid copy removes its record from quarantine.',
    ].join('\n'),
  )
}

function picked({ records, total }: QuarantinePage, id: string, option: string): QuarantinedRecord {
  const [only] = id === '' ? [] : records
  if (only && total === 1) return only
  throw new ConfigError(
    only ? `${option}: ${total} record ids begin with "${id}".` : `${option}: no quarantined record "${id}".`,
    { next: 'List the ids with `faultline quarantine`.' },
  )
}

function show({ console }: Context, one: QuarantinedRecord, options: QuarantineOptions) {
  if (options.json) {
    console.out(stringifyJson(one))
    return
  }
  const facts = [
    `record ${one.id} of ${one.resource}, account ${one.account_id}`,
    `invalid: ${one.path === '' ? 'the record' : one.path}: ${one.reason}`,
    `first seen ${instant(one.first_seen_at)}, last seen ${instant(one.seen_at)} by run ${one.run_id}, in ${one.times_seen} runs`,
    `${one.operation}, request ${one.request_id}`,
  ]
  const record = stringifyJson(parseJson(one.payload), 2)
  console.out([...facts, '', ...record.split('\n')].map(cleanForTerminal).join('\n'))
}

function cut(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}
