import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '../client/client.ts'
import { configSchema } from '../config/config-file.ts'
import { settingsOf } from '../config/reporting.ts'
import { ConfigError } from '../errors.ts'
import { reasonOf } from '../external-errors.ts'
import { runReport } from '../page/run-report.ts'
import type { ReportResult } from '../render/result.ts'
import { allReports } from '../report/report-catalog.ts'
import { resources } from '../resources/index.ts'
import type { Sandbox } from '../sandbox/start-sandbox.ts'
import type { Lesson } from '../sandbox/world/scenario.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { defaultSettings, type Settings } from '../settings/settings.ts'
import { shown } from '../site/error-places.ts'
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
import type { Texts } from './command.ts'
import { type Console, consoleEffects } from './console.ts'
import type { Context } from './context.ts'
import { ownCommand } from './invocation.ts'
import { progressTo } from './sync/progress.ts'
import { syncText } from './sync/sync-text.ts'

export async function runDemo(
  context: Context,
  { to = 'out/demo', world = 'meridian', incidents: count }: Texts<'to' | 'world' | 'incidents'>,
): Promise<number> {
  const { console } = context
  const { startSandbox } = await import('../sandbox/start-sandbox.ts')
  const { lessonOf } = await import('../sandbox/world/scenarios/index.ts')
  const lesson = lessonOf(world)
  const incidents = count === undefined ? lesson.incidents : parseIncidents(count)
  const out = resolve(to)
  const warehouse = resolve(out, 'demo.duckdb')
  makeFolder(out)
  await removeOlder(warehouse)
  const { settings, file } = configure(world, lesson, out)
  const sandbox = await startSandbox({ incidents, world, limits: false })
  try {
    console.out(
      `A sandbox of the incident service, with generated data and without rate limits, runs at ${sandbox.baseUrl} during the demo.`,
    )
    const result = await syncFrom(context, sandbox, { warehouse, incidents, settings })
    console.out(syncText(result, shown(warehouse)))
    const { made, holds } = await writeReports(warehouse, settings, out)
    console.out(holds)
    if (world !== 'meridian') {
      const { verdict } = made.find(({ result: { name } }) => name === REVIEW.name)!.result
      console.out(['', lesson.teaches, `First finding of the review: ${verdict}`].join('\n'))
      if (file) console.out(`Without ${shown(file)}: ${await verdictWithout(warehouse)}`)
    }
    console.out(whatNow(made, file ? `--config ${shown(file)}` : `--warehouse ${shown(warehouse)}`, out))
    return result.status === 'ok' ? 0 : 1
  } finally {
    await sandbox.close()
  }
}

/** Removes the data of an earlier demo, unless another demo is using the file (the sync then reports the lock). */
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
    const message = `--to: ${path} cannot be created: ${reasonOf(cause)}`
    throw new ConfigError(message, { cause, next: 'Use a writable folder.' })
  }
}

function parseIncidents(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 0 && count <= 1_000_000) return count
  throw new ConfigError(`--incidents: "${text}" is not a whole number up to 1,000,000.`)
}

/** Returns the settings for a scenario. If the scenario has its own settings, also writes a configuration file. */
function configure(
  world: string,
  { reporting }: Lesson,
  out: string,
): { settings: Settings; file: string | undefined } {
  if (reporting === undefined) return { settings: defaultSettings, file: undefined }
  const file = join(out, `${world}.json`)
  writeFileSync(file, `${JSON.stringify({ warehouse: './demo.duckdb', reporting }, null, 2)}\n`)
  return { settings: settingsOf(configSchema.parse({ reporting }).reporting), file }
}

async function syncFrom(
  context: Context,
  { baseUrl, appKey }: Sandbox,
  { warehouse, incidents, settings }: { warehouse: string; incidents: number; settings: Settings },
): Promise<SyncResult> {
  const { spanDays } = await import('../sandbox/world/arrival-times.ts')
  const effects = consoleEffects(context.console, context.verbose)
  const { signal } = context
  const client = createClient({ baseUrl, appKey, quota: Number.POSITIVE_INFINITY, effects, signal })
  const { concurrency, memoryLimit, lookbackDays, windowDays } = configSchema.parse({}).sync
  const quiet: Console = { ...context.console, note() {} }
  try {
    return await sync({
      ...{
        client,
        resources,
        known: resources,
        effects,
        concurrency,
        memoryLimit,
        settings,
        version,
        signal,
      },
      published: await resolveStorage(warehouse),
      scope: (now) => ({
        ...{ now, since: now - spanDays(incidents) * 86_400 },
        ...{ lookbackDays, windowSeconds: windowDays, full: false },
      }),
      onProgress: progressTo(quiet, 1, effects),
    })
  } finally {
    context.console.clearProgress()
    await client.close()
  }
}

const REVIEW = allReports(undefined).find(({ name }) => name === 'reliability-review')!

interface Made {
  readonly result: ReportResult
  readonly page: string
}

async function writeReports(
  warehouse: string,
  settings: Settings,
  out: string,
): Promise<{ made: Made[]; holds: string }> {
  const reader = await openReader(await resolveStorage(warehouse), { settings })
  try {
    const made: Made[] = []
    const sessions = pooled(reader)
    const reports = allReports(undefined)
    const request = {
      ...{ out, part: await choosePart(reader, {}), filters: {}, files: ['html', 'csv'] as const },
      ...{ names: reports.map(({ name }) => name), teamPage: () => null, isLinked: true },
    }
    for (const report of reports) {
      const result = await runReport(report.file, sessions)
      const { written } = writePage(result, request)
      made.push({ result, page: written.find((file) => file.endsWith('.html'))! })
    }
    writeIndex(out, Date.now())
    return { made, holds: await holdsText(reader) }
  } finally {
    reader.close()
  }
}

/** Returns the first finding of the review when it uses the default settings instead of those of the scenario. */
async function verdictWithout(warehouse: string): Promise<string> {
  const reader = await openReader(await resolveStorage(warehouse), { settings: defaultSettings })
  return (await runReport(REVIEW.file, reader).finally(reader.close)).verdict
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

function whatNow(made: readonly Made[], source: string, out: string): string {
  const own = ownCommand()
  const widest = Math.max(...made.map(({ result }) => result.title.length))
  return [
    '',
    'Open in a browser:',
    ...made.map(({ result, page }) => `  ${result.title.padEnd(widest)}  ${pathToFileURL(page).href}`),
    `Or serve them, for example over SSH: ${own} serve --from ${shown(out)} ${source}`,
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
