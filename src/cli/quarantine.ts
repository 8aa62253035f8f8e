import { existsSync } from 'node:fs'
import { type Config, loadConfig, requirePrivacy } from '../config.ts'
import { parseJson, stringifyJson } from '../contract/json.ts'
import { ConfigError, WarehouseError } from '../errors.ts'
import { cleanForTerminal } from '../render/clean.ts'
import { resources } from '../resources/index.ts'
import { withPrivacy } from '../resources/with-privacy.ts'
import { halfWay } from '../sync/ledger.ts'
import { openUnderRules } from '../sync/open-under-rules.ts'
import { type Replayed, replayQuarantine } from '../sync/replay.ts'
import { warehouseFiles } from '../warehouse/files.ts'
import { openReader, type Reader } from '../warehouse/reader.ts'
import type { Context } from './context.ts'
import { textTable } from './text-table.ts'
import { readWaiting, type Waiting } from './waiting.ts'

export interface QuarantineFlags {
  readonly limit?: string
  readonly show?: string
  readonly replay?: boolean
  readonly json?: boolean
}

/** `faultline quarantine`: the records that do not fit; one of them as it came; or all of them judged again. */
export async function quarantineCommand(context: Context, flags: QuarantineFlags): Promise<number> {
  const config = loadConfig(context.overrides)
  if (flags.replay) return replay(context, config, flags)
  const reader = await openNewest(context, config)
  try {
    const waiting = await readWaiting(reader)
    if (flags.show !== undefined) show(context, pick(waiting, flags.show), flags)
    else list(context, waiting, flags)
    return 0
  } finally {
    reader.close()
  }
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
  const header = [
    'id',
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
      '--show ID shows one whole; --replay tries all of them again.',
    ].join('\n'),
  )
}

function limitOf(text: string | undefined): number {
  const limit = Number(text ?? LIMIT)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new ConfigError(`--limit: "${text}" is not a whole number from 1.`)
}

function pick(waiting: readonly Waiting[], id: string): Waiting {
  const found = waiting.filter((one) => id !== '' && one.id.startsWith(id.toLowerCase()))
  const [only] = found
  if (only && found.length === 1) return only
  throw new ConfigError(
    found.length > 1
      ? `--show: ${found.length} records begin with "${id}".`
      : `--show: no record "${id}" waits.`,
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

/** Under the lock of the warehouse, as a sync; readers see what was loaded at once. */
async function replay({ console }: Context, config: Config, flags: QuarantineFlags): Promise<number> {
  const known = withPrivacy(resources, requirePrivacy(config))
  const { published, working } = warehouseFiles(config.warehouse)
  if (!existsSync(published) && !existsSync(working)) {
    throw new WarehouseError(`There is no warehouse at ${published}.`, {
      next: 'Run `faultline sync` first.',
    })
  }
  const warehouse = await openUnderRules(config.warehouse, known, {
    memoryLimit: config.sync.memoryLimit,
    now: Date.now(),
  })
  try {
    const replayed = await replayQuarantine(warehouse, known)
    const held = await halfWay(warehouse.db)
    // What was never read whole is not shown to readers for the first time by this.
    const isShown = replayed.loaded + replayed.outdated > 0 && (held.length === 0 || existsSync(published))
    if (isShown) await warehouse.publish(held)
    console.out(flags.json ? JSON.stringify({ ...replayed, published: isShown }) : replayText(replayed))
    return replayed.waiting === 0 ? 0 : 1
  } finally {
    await warehouse.close()
  }
}

function replayText({ loaded, outdated, waiting }: Replayed): string {
  const count = (rows: number) => rows.toLocaleString('en')
  const parts = [
    `${count(loaded)} ${loaded === 1 ? 'record fits' : 'records fit'} now and ${loaded === 1 ? 'is' : 'are'} loaded`,
  ]
  if (outdated > 0) parts.push(`${count(outdated)} fit, but a newer copy was there`)
  parts.push(`${count(waiting)} still ${waiting === 1 ? 'waits' : 'wait'}`)
  return `${parts.join('; ')}.`
}

function cut(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}

function instant(value: unknown): string {
  return value instanceof Date ? `${value.toISOString().slice(0, 19).replace('T', ' ')}Z` : '-'
}
