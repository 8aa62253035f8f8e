import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Client } from '../../client/client.ts'
import type { Account } from '../../config/accounts-section.ts'
import { type Config, configPath, loadConfig, requirePrivacy } from '../../config/config.ts'
import { checkConditions } from '../../definitions/custom-definitions-sql.ts'
import { ConfigError } from '../../errors.ts'
import { cleanForTerminal } from '../../render/sanitize-text.ts'
import { allReports } from '../../report/report-catalog.ts'
import { pickResources, resources } from '../../resources/index.ts'
import { withPrivacy } from '../../resources/privacy/with-privacy.ts'
import type { Resource } from '../../resources/resource.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { openIfThere, type Reader } from '../../warehouse/read/reader.ts'
import { storedId } from '../../warehouse/read/resource-rows.ts'
import type { Flags } from '../command.ts'
import { consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { openClient } from '../open-client.ts'
import { checkOwnWords } from './check-custom-definitions.ts'
import { checkEvents, checkNames } from './check-names.ts'
import { checkPrivacy } from './check-privacy.ts'
import { checkDelivery, checkDueTimes, checkReports, checkSchedule } from './check-reports.ts'
import { type CheckResult, failed, ok, resultsOf, warn } from './check-result.ts'
import { checkService } from './check-service.ts'
import { checkProof, checkWarehouse, checkWords, verifyWarehouse } from './check-warehouse.ts'

/** Maximum time for retries, short because a person is waiting for the result. */
const MAX_RETRY_MS = 15_000

/** @returns exit status 2 for a wrong configuration, 1 for another failure, otherwise 0 (also with warnings) */
export async function runCheck(context: Context, { json, deep }: Flags<'json' | 'deep'>): Promise<number> {
  const findings: CheckResult[] = []
  for await (const finding of deep ? findDamage(context) : findAll(context)) {
    findings.push(finding)
    if (!json) context.console.out(lineOf(finding))
  }
  const failures = findings.filter(({ level }) => level === 'fail')
  const status = failures.some(({ isConfiguration }) => isConfiguration) ? 2 : failures.length > 0 ? 1 : 0
  const told = findings.map(({ isConfiguration: _, ...finding }) => finding)
  if (json) context.console.out(JSON.stringify({ status, findings: told }))
  return status
}

async function* findAll(context: Context): AsyncGenerator<CheckResult> {
  let config: Config
  let chosen: readonly Resource[]
  const path = configPath(context.overrides)
  try {
    config = loadConfig(context.overrides)
    chosen = pickResources(config.resources, withPrivacy(resources, requirePrivacy(config)))
    await checkConditions(config.settings)
    yield ok('config', existsSync(path) ? `${path} is valid` : 'config.json not found, using defaults')
  } catch (error) {
    yield failed('config', error)
    return
  }
  const { reporting, settings } = config
  const warehouse = await resolveStorage(config.warehouse)
  const reader = await openIfThere(warehouse, { memoryLimit: reporting.memoryLimit, settings }).catch(
    (error: unknown) => failed('warehouse', error),
  )
  const open = reader && 'level' in reader ? undefined : reader
  try {
    for (const account of config.accounts) {
      const whose = account.name === undefined ? '' : `${account.name}: `
      for await (const finding of findService(context, account, chosen, open)) {
        yield { ...finding, check: whose + finding.check }
      }
    }
    if (reader && 'level' in reader) yield reader
    else yield* await checkWarehouse(warehouse, open, config.timezone)
    if (open) {
      yield* await resultsOf('complete', () => checkProof(open))
      yield* await resultsOf('words', () => checkWords(open))
      yield* await resultsOf('custom definitions', () => checkOwnWords(open, settings))
      yield* await resultsOf('privacy', () => checkPrivacy(open, config))
      yield* await resultsOf('events', () => checkEvents(open))
      yield* await resultsOf('names', () => checkNames(open, settings))
    }
    yield checkModes(filesOf(config, warehouse.ownPaths, path))
    yield* await checkReports(allReports(config.reports), open)
    if (config.reports !== undefined && !existsSync(config.reports)) {
      const next = 'Correct `reports`, or create the folder with `faultline report new NAME`.'
      yield warn('reports', `${config.reports} does not exist`, next)
    }
    const now = Date.now()
    yield* await resultsOf('schedule', () => checkSchedule(config, now))
    // Keeps only warnings, because `checkSchedule` or `checkReports` already reports the errors.
    yield* (await resultsOf('schedule', () => checkDueTimes(config, now))).filter(
      ({ level }) => level === 'warn',
    )
    yield* await resultsOf('delivery', () => checkDelivery(context, config))
  } finally {
    open?.close()
  }
}

async function* findDamage(context: Context): AsyncGenerator<CheckResult> {
  let config: Config
  try {
    config = loadConfig(context.overrides)
  } catch (error) {
    yield failed('config', error)
    return
  }
  yield* verifyWarehouse(await resolveStorage(config.warehouse))
}

async function* findService(
  context: Context,
  account: Account,
  resources: readonly Resource[],
  reader: Reader | undefined,
): AsyncGenerator<CheckResult> {
  let client: Client
  const effects = consoleEffects(context.console, context.verbose)
  try {
    client = openClient(context, account, { effects, maxRetryMs: MAX_RETRY_MS })
  } catch (error) {
    const isAddress = error instanceof ConfigError && error.field === 'baseUrl'
    yield failed(isAddress ? 'address' : 'key', error)
    return
  }
  const { quota, appKey, appKeyFile, appKeyEnv = 'FAULTLINE_APP_KEY' } = account
  yield ok('key', `read from ${appKey === undefined ? appKeyFile : appKeyEnv}`)
  try {
    const idOf = (resource: Resource) => idFor(resource, reader)
    yield* checkService({ client, effects, signal: context.signal, resources, quota, idOf })
  } finally {
    await client.close()
  }
}

/** Returns a stored id for testing a read by id, preferably one that the key could read before. */
async function idFor(
  { table, key, read }: Resource,
  reader: Reader | undefined,
): Promise<string | undefined> {
  if (read.kind !== 'ids' || reader === undefined) return undefined
  try {
    return (await storedId(reader, { table, column: key[0]! })) ?? (await storedId(reader, read.from))
  } catch {
    // `checkWarehouse` reports warehouse errors.
    return undefined
  }
}

function filesOf(config: Config, ownPaths: readonly string[], path: string): string[] {
  const { mail, webhook } = config.delivery
  const secrets = [
    ...config.accounts.map(({ appKeyFile }) => appKeyFile),
    config.privacy.saltFile,
    mail?.passwordFile,
    webhook?.secretFile,
    webhook?.urlFile,
  ]
  return [path, join(dirname(path), '.env'), ...secrets.filter((file) => file !== undefined), ...ownPaths]
}

const LEVELS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const
const WIDTH = 24

function lineOf({ check, level, message, next }: CheckResult): string {
  const indent = ' '.repeat(LEVELS[level].length + WIDTH + 3)
  const lines = message.split('\n').map((one, place) => (place === 0 ? '' : indent) + cleanForTerminal(one))
  const line = `${LEVELS[level]}  ${cleanForTerminal(check).padEnd(WIDTH)} ${lines.join('\n')}`
  return next === undefined ? line : `${line}\n${' '.repeat(6)}${cleanForTerminal(next)}`
}

/** Permission bits of all users except the owner. */
const OTHERS = 0o077

/** Checks that other users cannot access files with data or secrets. */
function checkModes(paths: readonly string[]): CheckResult {
  if (process.platform === 'win32') return ok('files', 'not checked, because this platform lacks file modes')
  const there = [...new Set(paths)].filter((path) => existsSync(path))
  const modeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  const open = there.filter((path) => (modeOf(path) & OTHERS) !== 0)
  if (open.length === 0)
    return ok('files', there.length === 0 ? 'no files yet' : 'readable only by their owner')
  const next = `chmod go= ${open.map(shellWord).join(' ')}`
  return warn('files', `readable by other users: ${open.join(', ')}`, next)
}

function shellWord(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
