import { mkdirSync, rmSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '../client/client.ts'
import { configSchema } from '../config/config-file.ts'
import { ConfigError } from '../errors.ts'
import { runReport } from '../page/run-report.ts'
import { allReports } from '../report/report-catalog.ts'
import { resources } from '../resources/index.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import type { Settings } from '../settings/settings.ts'
import { writeIndex } from '../site/history.ts'
import { choosePart } from '../site/output-folders.ts'
import { writePage } from '../site/write-page.ts'
import { type SyncResult, sync } from '../sync/sync-accounts.ts'
import { version } from '../version.ts'
import { holderOf } from '../warehouse/file/file-lock.ts'
import { accountFiles, warehouseFiles, workingAccounts } from '../warehouse/file/files.ts'
import { removeDatabase } from '../warehouse/file/logs.ts'
import { pooled } from '../warehouse/read/pool.ts'
import { openReader, type Reader } from '../warehouse/read/reader.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import { type Console, consoleEffects } from './console.ts'
import type { Context } from './context.ts'
import { configurationOf, lessonText } from './demo-scenario.ts'
import { ownCommand } from './invocation.ts'
import { progressTo } from './sync/progress.ts'
import { syncText } from './sync/sync-text.ts'

interface DemoOptions {
  readonly to?: string | undefined
  /** Name of a scenario. The default is meridian. */
  readonly world?: string | undefined
  readonly incidents?: string | undefined
}

const MOST = 1_000_000

/** Runs `faultline demo`. Starts a sandbox without rate limits, syncs it, writes the reports and prints their links. */
export async function runDemo(context: Context, options: DemoOptions): Promise<number> {
  const { console } = context
  const { startSandbox } = await import('../sandbox/start-sandbox.ts')
  const { lessonOf } = await import('../sandbox/world/scenarios/index.ts')
  const world = options.world ?? 'meridian'
  const lesson = lessonOf(world)
  const incidents = incidentsOf(options) ?? lesson.incidents
  const out = resolve(options.to ?? 'out/demo')
  const warehouse = resolve(out, 'demo.duckdb')
  makeFolder(out)
  await removeOlder(warehouse)
  const { settings, file } = configurationOf(world, lesson, out)
  const sandbox = await startSandbox({ incidents, world, limits: false })
  try {
    console.out(
      `A sandbox of the incident service, with generated data and without rate limits, runs at ${sandbox.baseUrl} during the demo.`,
    )
    const result = await syncFrom(context, sandbox, { warehouse, incidents, settings })
    console.out(syncText(result, shown(warehouse)))
    const { pages, holds } = await writeReports(warehouse, settings, out)
    console.out(holds)
    if (options.world !== undefined && world !== 'meridian')
      console.out(await lessonText(lesson, { warehouse, settings, file: file && shown(file) }))
    console.out(whatNow(pages, file ? `--config ${shown(file)}` : `--warehouse ${shown(warehouse)}`, out))
    return result.status === 'ok' ? 0 : 1
  } finally {
    await sandbox.close()
  }
}

/**
 * Removes the data of an earlier demo, which belongs to another generated company. Real warehouses are safe, because
 * only demos use this file name. If another demo is using the file, nothing is removed, and the sync reports the
 * conflict.
 */
async function removeOlder(warehouse: string): Promise<void> {
  const files = warehouseFiles(warehouse)
  for (const account of workingAccounts(files)) if (await holderOf(accountFiles(files, account).lock)) return
  removeDatabase(files.published)
  for (const file of [files.folder, files.reportRuns]) rmSync(file, { force: true, recursive: true })
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (cause) {
    throw new ConfigError(`--to: ${path} cannot be created: ${(cause as Error).message}`, {
      cause,
      next: 'Use a writable folder.',
    })
  }
}

function incidentsOf({ incidents }: DemoOptions): number | undefined {
  if (incidents === undefined) return undefined
  const count = Number(incidents)
  if (!Number.isInteger(count) || count < 0 || count > MOST) {
    throw new ConfigError(`--incidents: "${incidents}" is not a whole number up to 1,000,000.`)
  }
  return count
}

async function syncFrom(
  context: Context,
  { baseUrl, appKey }: { baseUrl: string; appKey: string },
  { warehouse, incidents, settings }: { warehouse: string; incidents: number; settings: Settings },
): Promise<SyncResult> {
  const { spanDays } = await import('../sandbox/world/arrival-times.ts')
  const effects = consoleEffects(context.console, context.verbose)
  const client = createClient({
    baseUrl,
    appKey,
    quota: Number.POSITIVE_INFINITY,
    effects,
    signal: context.signal,
  })
  const defaults = configSchema.parse({}).sync
  const quiet: Console = { ...context.console, note() {} }
  try {
    return await sync({
      client,
      published: await resolveStorage(warehouse),
      resources,
      known: resources,
      effects,
      concurrency: defaults.concurrency,
      memoryLimit: defaults.memoryLimit,
      settings,
      version,
      signal: context.signal,
      scope: (now) => ({
        now,
        since: now - spanDays(incidents) * 86_400,
        lookbackDays: defaults.lookbackDays,
        windowSeconds: defaults.windowDays,
        full: false,
      }),
      onProgress: progressTo(quiet, 1, effects),
    })
  } finally {
    context.console.clearProgress()
    await client.close()
  }
}

const FILES = ['html', 'csv'] as const

interface Page {
  readonly title: string
  readonly path: string
}

async function writeReports(
  warehouse: string,
  settings: Settings,
  out: string,
): Promise<{ pages: Page[]; holds: string }> {
  const reader = await openReader(await resolveStorage(warehouse), { settings })
  try {
    const pages: Page[] = []
    const sessions = pooled(reader)
    const part = await choosePart(reader, {})
    const reports = allReports(undefined)
    const names = reports.map(({ name }) => name)
    const request = { out, part, filters: {}, files: FILES, names, teamPage: () => null, isLinked: true }
    for (const report of reports) {
      const result = await runReport(report.file, sessions)
      const { written } = writePage(result, request)
      pages.push({ title: result.title, path: written.find((file) => file.endsWith('.html'))! })
    }
    writeIndex(out, Date.now())
    return { pages, holds: await holdsText(reader) }
  } finally {
    reader.close()
  }
}

async function holdsText(reader: Reader): Promise<string> {
  const days = objectsOf(
    await reader.query(
      "from incident_counts(bucket := 'day') where incident_severity = '(all)' order by bucket_start",
    ),
  )
  const count = days.reduce((sum, { incidents }) => sum + Number(incidents), 0)
  const since = days[0]?.bucket_start
  return count === 0
    ? 'It contains no incidents.'
    : `It contains ${count === 1 ? '1 incident' : `${count.toLocaleString('en')} incidents`} since ${since}; the reports compare the last 13 full weeks with the 13 weeks before.`
}

function whatNow(pages: readonly Page[], source: string, out: string): string {
  const own = ownCommand()
  const widest = Math.max(...pages.map(({ title }) => title.length))
  return [
    '',
    'Open in a browser:',
    ...pages.map(({ title, path }) => `  ${title.padEnd(widest)}  ${pathToFileURL(path).href}`),
    `Or serve them, for example over SSH: ${own} serve --from ${shown(out)}`,
    `The tables of each report are CSV files in its folder in ${shown(out)}/.`,
    '',
    'Query the warehouse:',
    `  ${own} sql ${source} "select num, incident_severity, team_name, title from open_incidents limit 5"`,
    `  ${own} report mtta-mttr ${source} --format terminal`,
    '',
    `With a key of your own: \`${own} init\` asks for the address and writes config.json; then set`,
    `FAULTLINE_APP_KEY, and run \`${own} check\` and \`${own} sync\`.`,
  ].join('\n')
}

function shown(path: string): string {
  return relative('', path) || path
}
