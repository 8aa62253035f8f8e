import { existsSync } from 'node:fs'
import { type Config, loadConfig } from '../config.ts'
import { parseJson, stringifyJson } from '../contract/json.ts'
import { ConfigError, WarehouseError } from '../errors.ts'
import { cleanForTerminal } from '../render/clean.ts'
import { warehouseFiles } from '../warehouse/files.ts'
import { openReader, type Reader } from '../warehouse/reader.ts'
import type { Context } from './context.ts'
import { forget, replay } from './quarantine-changes.ts'
import { textTable } from './text-table.ts'
import { readWaiting, type Waiting } from './waiting.ts'

export interface QuarantineFlags {
  readonly limit?: string
  readonly show?: string
  readonly replay?: boolean
  readonly forget?: string
  readonly json?: boolean
}

/** `faultline quarantine`: the records that do not fit; one of them as it came, or given up; or all of them judged again. */
export async function quarantineCommand(context: Context, flags: QuarantineFlags): Promise<number> {
  const config = loadConfig(context.overrides)
  if (flags.replay) return replay(context, config, flags)
  let chosen: Waiting | undefined
  const reader = await openNewest(context, config)
  try {
    const waiting = await readWaiting(reader)
    if (flags.forget !== undefined) chosen = pick(waiting, flags.forget, '--forget')
    else if (flags.show !== undefined) show(context, pick(waiting, flags.show, '--show'), flags)
    else list(context, waiting, flags)
  } finally {
    reader.close()
  }
  return chosen ? forget(context, config, chosen) : 0
}

/** The sync's own file, which also holds what was not published; the published copy while a sync writes that one. */
async function openNewest(context: Context, { warehouse, sync }: Config): Promise<Reader> {
  const options = { memoryLimit: sync.memoryLimit }
  const { working } = warehouseFiles(warehouse)
  if (!existsSync(working)) return openReader(warehouse, options)
  return openReader(working, options).catch((error: unknown) => {
    if (!(error instanceof WarehouseError)) throw error
    context.console.note(`${working} is in use or cannot be read: this is what was published last.`)
    return openReader(warehouse, options)
  })
}

const LIMIT = 20

function list({ console }: Context, waiting: readonly Waiting[], flags: QuarantineFlags) {
  const limit = limitOf(flags.limit)
  const shown = waiting.slice(0, limit)
  if (flags.json) {
    console.out(stringifyJson({ waiting: waiting.length, records: shown }))
    return
  }
  if (waiting.length === 0) {
    console.out('Nothing waits: every record fitted.')
    return
  }
  const isShared = new Set(waiting.map((one) => one.account_id)).size > 1
  const header = [
    'id',
    ...(isShared ? ['account'] : []),
    'resource',
    'what does not fit',
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
  const more = waiting.length - shown.length
  console.out(
    [
      ...textTable([header, ...rows], right),
      '',
      more > 0
        ? `${more.toLocaleString('en')} more; --limit ${waiting.length} shows all.`
        : `${waiting.length.toLocaleString('en')} ${waiting.length === 1 ? 'record waits' : 'records wait'}.`,
      '--show ID shows one whole; --replay judges all of them again. `faultline sync --full` fetches them anew: a good copy',
      'takes its record out. --forget ID gives one up.',
    ].join('\n'),
  )
}

function limitOf(text: string | undefined): number {
  const limit = Number(text ?? LIMIT)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new ConfigError(`--limit: "${text}" is not a whole number from 1.`)
}

function pick(waiting: readonly Waiting[], id: string, option: string): Waiting {
  const found = waiting.filter((one) => id !== '' && one.id.startsWith(id.toLowerCase()))
  const [only] = found
  if (only && found.length === 1) return only
  throw new ConfigError(
    found.length > 1
      ? `${option}: ${found.length} records begin with "${id}".`
      : `${option}: no record "${id}" waits.`,
    { next: '`faultline quarantine` lists them with their ids.' },
  )
}

function show({ console }: Context, one: Waiting, flags: QuarantineFlags) {
  if (flags.json) {
    console.out(stringifyJson(one))
    return
  }
  const facts = [
    `record ${one.id} of ${one.resource}, account ${one.account_id}`,
    `does not fit: ${one.path === '' ? 'the whole' : one.path}: ${one.reason}`,
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

function instant(value: unknown): string {
  return value instanceof Date ? `${value.toISOString().slice(0, 19).replace('T', ' ')}Z` : '-'
}
