import { existsSync } from 'node:fs'
import type { Client } from '../client/client.ts'
import type { Account } from '../config/accounts.ts'
import { type Config, configPath, loadConfig, requirePrivacy } from '../config.ts'
import { cleanForTerminal } from '../render/clean.ts'
import { resources } from '../resources/index.ts'
import type { Resource } from '../resources/resource.ts'
import { withPrivacy } from '../resources/with-privacy.ts'
import { warehouseFiles } from '../warehouse/files.ts'
import { name } from '../warehouse/quote.ts'
import { openReader, type Reader } from '../warehouse/reader.ts'
import { failed } from './check/failed.ts'
import { checkModes } from './check/files.ts'
import { type Finding, ok } from './check/finding.ts'
import { checkReports } from './check/reports.ts'
import { checkDelivery, checkSchedule } from './check/schedule.ts'
import { checkService } from './check/service.ts'
import { checkWarehouse } from './check/warehouse.ts'
import { consoleEffects } from './console.ts'
import type { Context } from './context.ts'
import { openClient } from './open-client.ts'
import { pickResources } from './pick-resources.ts'
import { allReports } from './report-files.ts'

/** Somebody waits for the answer: a service that fails for so long is told as failing. */
const PATIENCE_MS = 15_000

/**
 * `faultline check`: everything a sync and its reports need, one line each. It writes nothing, and asks the service only
 * operations that read; its requests count with those of other runs on this machine.
 * @returns 2 when the configuration is wrong, 1 when something else failed, 0 otherwise: warnings are told, not counted
 */
export async function checkCommand(context: Context, flags: { json?: boolean }): Promise<number> {
  const findings: Finding[] = []
  let isUsable = true
  for await (const finding of findAll(context, () => {
    isUsable = false
  })) {
    findings.push(finding)
    if (!flags.json) context.console.out(lineOf(finding))
  }
  const hasFailed = findings.some(({ level }) => level === 'fail')
  const status = isUsable ? (hasFailed ? 1 : 0) : 2
  if (flags.json) context.console.out(JSON.stringify({ status, findings }))
  return status
}

async function* findAll(context: Context, unusable: () => void): AsyncGenerator<Finding> {
  let config: Config
  let chosen: readonly Resource[]
  const path = configPath(context.overrides)
  try {
    config = loadConfig(context.overrides)
    chosen = pickResources(config.resources, withPrivacy(resources, requirePrivacy(config)))
    yield ok(
      'config',
      existsSync(path) ? `${path} is in order` : 'there is no config.json: what is usual is taken',
    )
  } catch (error) {
    unusable()
    yield failed('config', error)
    return
  }
  const reader = await openCopy(config).catch((error: unknown) => failed('warehouse', error))
  const open = reader && 'level' in reader ? undefined : reader
  try {
    for (const account of config.accounts) {
      const whose = account.name === undefined ? '' : `${account.name}: `
      for await (const finding of findService(context, config, { account, chosen, reader: open, unusable })) {
        yield { ...finding, check: whose + finding.check }
      }
    }
    if (reader && 'level' in reader) yield reader
    else yield* await checkWarehouse(config.warehouse, open)
    yield checkModes(filesOf(config, path))
    yield* await checkReports(allReports(config.reports), open)
    for (const finding of [checkSchedule(config, Date.now()), checkDelivery(context, config)]) {
      if (finding.level === 'fail') unusable()
      yield finding
    }
  } finally {
    open?.close()
  }
}

/** The published copy; undefined when there is none yet. */
async function openCopy({ warehouse, reporting, settings }: Config): Promise<Reader | undefined> {
  const options = { memoryLimit: reporting.memoryLimit, settings }
  return existsSync(warehouse) ? openReader(warehouse, options) : undefined
}

interface Asked {
  readonly account: Account
  readonly chosen: readonly Resource[]
  readonly reader: Reader | undefined
  readonly unusable: () => void
}

async function* findService(
  context: Context,
  config: Config,
  { account, chosen, reader, unusable }: Asked,
): AsyncGenerator<Finding> {
  let client: Client
  const effects = consoleEffects(context.console, context.verbose)
  const { quota } = account
  try {
    client = openClient(context, config, { effects, patienceMs: PATIENCE_MS }, account)
  } catch (error) {
    unusable()
    yield failed('key', error)
    return
  }
  yield ok(
    'key',
    account.appKey === undefined
      ? `read from ${account.appKeyFile}`
      : `taken from ${account.appKeyEnv ?? 'FAULTLINE_APP_KEY'}`,
  )
  try {
    const idOf = (resource: Resource) => storedId(resource, reader)
    yield* checkService({ client, effects, signal: context.signal, resources: chosen, quota, idOf })
  } finally {
    await client.close()
  }
}

/** An id of the resource that is in the warehouse, where it is read by ids. */
async function storedId({ read }: Resource, reader: Reader | undefined): Promise<string | undefined> {
  if (read.kind !== 'ids' || reader === undefined) return undefined
  const { table, column } = read.from
  const found = await reader
    .query(
      `select ${name(column)}::varchar from ${name(table)} where ${name(column)}::varchar not in ('', '0') limit 1`,
    )
    // A warehouse of an older layout: what is wrong with it is told where it is checked.
    .catch(() => undefined)
  return found?.rows[0]?.[0] as string | undefined
}

/** Every file that holds data or secrets. */
function filesOf(config: Config, path: string): string[] {
  const { mail, webhook } = config.delivery
  const secrets = [
    ...config.accounts.map(({ appKeyFile }) => appKeyFile),
    config.privacy.saltFile,
    mail?.passwordFile,
    webhook?.secretFile,
    webhook?.urlFile,
  ]
  const files = Object.values(warehouseFiles(config.warehouse)) as string[]
  return [path, ...secrets.filter((file) => file !== undefined), ...files]
}

const LEVELS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const
const WIDTH = 24

function lineOf({ check, level, message, next }: Finding): string {
  const line = cleanForTerminal(`${LEVELS[level]}  ${check.padEnd(WIDTH)} ${message}`)
  return next === undefined ? line : `${line}\n${' '.repeat(6)}${cleanForTerminal(next)}`
}
