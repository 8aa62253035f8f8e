import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { FaultlineError } from '../../src/errors.ts'
import { resources } from '../../src/resources/index.ts'
import { type Health, readHealth, writeHealth } from '../../src/schedule/health.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { accountFiles, warehouseFiles } from '../../src/warehouse/file/files.ts'
import { onDatabase } from '../../src/warehouse/file/open-file.ts'
import { verifyFile } from '../../src/warehouse/file/verify-file.ts'
import { noteReportRun } from '../../src/warehouse/read/report-runs.ts'
import { forever, standingTime } from '../support/clock.ts'
import { contentOf } from '../support/content.ts'
import { DAY, epoch, type FakeService, fakeService, incident } from '../support/service.ts'
import { openReader, sync } from '../support/storage.ts'

/**
 * Flips one bit anywhere in the files of a warehouse. Only a few run here. All 300 run with `--mode large`:
 * `npx vitest run --config test/vitest.config.ts --root . --mode large test/attacks/flips.test.ts`
 */
const FLIPS = inject('isLarge') ? 300 : 7
const NIGHT = epoch + 20 * DAY
const folder = mkdtempSync(join(tmpdir(), 'faultline-flips-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const service = fakeService()
service.incidents = Array.from({ length: 60 }, (_, index) => incident(index * 7, { channel_id: 7 }))
service.channels.set('7', { channel_id: 7, channel_name: 'seven', status: 'enabled', team_id: 70 })
service.teams = [{ team_id: 70, team_name: 'seventy', person_ids: [5] }]
const member = { account_id: 1, status: 'enabled', created_at: 1, updated_at: 2, account_role_ids: [2] }
service.members = [{ ...member, member_id: 5, member_name: 'five' }]

async function night(path: string, nights: number, before: FakeService['before'] = () => undefined) {
  const now = NIGHT + nights * DAY
  service.before = before
  const call = async () => ({ data: { items: [member] }, requestId: 'r', bytes: 0, serviceTime: null })
  const notices: string[] = []
  const result = await sync({
    client: { ...service.client, call } as never,
    path,
    resources,
    known: resources,
    scope: () => ({ now, since: epoch, lookbackDays: 31, windowSeconds: 31 * DAY, full: false }),
    effects: standingTime(now * 1_000, forever),
    concurrency: 4,
    version: '1.2.3',
    signal: new AbortController().signal,
    onNotice: (sentence) => notices.push(sentence),
  })
  return { ...result, notices }
}

const health: Health = {
  state: 'waiting',
  pid: 7,
  startedAt: '2026-11-21T02:30:00.000Z',
  updatedAt: '2026-11-21T02:31:00.000Z',
  jobs: {},
}

/** Figures of a report, in two runs. */
function noteRuns(path: string) {
  for (const value of [61, 62]) {
    const figures = [{ figure: 'summary.ttr', label: 'Time to resolve', value, n: 60 }]
    const scope = { account: 'all', team: 'all', severity: 'all', timezone: 'UTC', definition: 'd' }
    const period = { period_from: '2026-01-01', period_to: '2026-02-01', as_of_at: '2026-02-01T00:00:00Z' }
    noteReportRun(
      warehouseFiles(path),
      { report: 'r', ...scope, ...period, figures },
      { version: '1', now: value },
    )
  }
}

/** All values from the service, without the run and the time of reading. */
async function dataOf(path: string): Promise<string> {
  return onDatabase(path, { access_mode: 'READ_ONLY' }, async (connection) => {
    const sums = []
    for (const { table, columns, children } of resources) {
      const own = columns.filter(({ name }) => !/^snapshot_at$/.test(name)).map(({ name }) => `"${name}"`)
      for (const query of [
        `select ${own}, vanished_at from ${table}`,
        ...children.map((child) => `from ${child.table}`),
      ]) {
        const found = await connection.runAndReadAll(
          `select count(*), sum(hash(t)::hugeint) from (select distinct * from (${query})) t`,
        )
        sums.push(String(found.getRows()[0]))
      }
    }
    return sums.join(' ')
  })
}

async function figuresOf(path: string): Promise<unknown[]> {
  const reader = await openReader(path, { settings: defaultSettings })
  try {
    return (await reader.query('select value, n, label, report from report_runs order by value')).rows
  } finally {
    reader.close()
  }
}

const clean = join(folder, 'clean', 'faultline.duckdb')
const killed = join(folder, 'killed', 'faultline.duckdb')
let content = ''
let wanted = ''

beforeAll(async () => {
  for (const path of [clean, killed]) mkdirSync(join(path, '..'))
  await night(clean, 0)
  await night(clean, 1)
  noteRuns(clean)
  writeHealth(`${clean}.health.json`, health)
  content = await contentOf(clean)
  // A sync killed after it stored incidents leaves a log that is not yet folded in.
  service.incidents.push(incident(450, { channel_id: 7 }))
  cpSync(join(clean, '..'), join(folder, 'third'), { recursive: true })
  const third = join(folder, 'third', 'faultline.duckdb')
  await night(third, 2, (name, input) => {
    // Kill it only after something is stored.
    if (name === 'member/list' && input.limit === 100 && !existsSync(killed))
      cpSync(join(third, '..'), join(killed, '..'), { recursive: true })
  })
  wanted = await dataOf(third)
  expect(existsSync(accountFiles(warehouseFiles(killed), 1n).log)).toBe(true)
})

const targets = {
  'working file': (path: string) => accountFiles(warehouseFiles(path), 1n).working,
  log: (path: string) => accountFiles(warehouseFiles(path), 1n).log,
  'published copy': (path: string) => path,
  'former copy': (path: string) => warehouseFiles(path).former,
  generation: (path: string) => join(warehouseFiles(path).folder, 'generation.json'),
  'health file': (path: string) => `${path}.health.json`,
  'run log': (path: string) => warehouseFiles(path).reportRuns,
}
const names = Object.keys(targets) as (keyof typeof targets)[]

/** The same numbers in [0, 1) in every run. */
const unit = (k: number) => Math.abs(Math.sin(k * 12.9898 + 78.233) * 43_758.5453) % 1

test.each(names)(
  'a flipped byte of the %s reaches no reader, and the next sync repairs it',
  async (name) => {
    const origin = name === 'log' ? killed : clean
    for (let k = names.indexOf(name); k < FLIPS; k += names.length) {
      const path = join(folder, 'flipped', 'faultline.duckdb')
      rmSync(join(path, '..'), { recursive: true, force: true })
      cpSync(join(origin, '..'), join(path, '..'), { recursive: true })
      const file = targets[name](path)
      const bytes = readFileSync(file)
      const at = Math.floor(unit(k) * bytes.length)
      bytes[at]! ^= 1 << (k % 8)
      writeFileSync(file, bytes)
      const what = `${name}, byte ${at}, bit ${k % 8}`
      expect([content, 'refused'], what).toContain(await contentOf(path).catch(() => 'refused'))
      expect([null, health], what).toContainEqual(readHealth(`${path}.health.json`))
      const figures = await figuresOf(path).catch(() => [])
      expect(await figuresOf(origin), what).toEqual(expect.arrayContaining(figures))
      try {
        expect(await night(path, 2), what).toMatchObject({ status: 'ok', published: true })
        expect(await dataOf(path), what).toBe(wanted)
        await verifyFile(path)
      } catch (error) {
        // A sync that fails must name the command that helps.
        if (!(error instanceof FaultlineError)) throw error
        expect(error.next, `${what}: ${error.message}`).toMatch(/`faultline restore/)
      }
    }
  },
  600_000,
)
