import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { realEffects } from '../../src/effects.ts'
import { verifyInLake } from '../../src/lake/lake-tables.ts'
import { maintain } from '../../src/lake/maintain-lake.ts'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { resources } from '../../src/resources/index.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { openWarehouse as openForPrograms, runReport as reportForPrograms } from '../../src/sdk/index.ts'
import type { Lake } from '../../src/settings/lake.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { WarehouseLocation } from '../../src/settings/warehouse-location.ts'
import { accountFiles, makeFolder } from '../../src/warehouse/file/files.ts'
import { noteReportRun } from '../../src/warehouse/read/report-runs.ts'
import { run } from '../support/cli.ts'
import { hasLake, PASSWORD, postgresOfTests, startStore } from '../support/lake.ts'
import { openReader, openWarehouse, publishedAt, syncAccounts } from '../support/storage.ts'
import { scratch } from '../support/warehouse.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const NOW = 1_795_262_400
const OF_ITSELF = ['faultline_meta.csv']

const postgres = postgresOfTests()
let lake: Lake
let file: string
/** The report files of the warehouse `file`, by name. */
let files: Record<string, string>
const sandboxes: Sandbox[] = []
beforeAll(async () => {
  lake = postgres.lake('equal')
  file = join(scratch(), 'faultline.duckdb')
  for (const accountId of [11, 12])
    sandboxes.push(await startSandbox({ now: NOW, limits: false, incidents: 120, accountId }))
  await syncAll(lake, sandboxes)
  await publishAlso(file)
  if (hasLake) files = await filesOf(file)
})
async function publishAlso(place: WarehouseLocation) {
  const [from, to] = [publishedAt(lake).files, publishedAt(place).files]
  makeFolder(to)
  for (const account of [11n, 12n]) {
    copyFileSync(accountFiles(from, account).working, accountFiles(to, account).working)
    const warehouse = await openWarehouse(place, resources, { accountId: account })
    await warehouse.publish()
  }
}
afterAll(async () => {
  for (const sandbox of sandboxes) await sandbox.close()
})

describe.runIf(hasLake)('a lake and a file built from the same working files', () => {
  test('produce the same bytes in every file of every report', async () => {
    const others = await filesOf(lake)
    expect(Object.keys(others)).toEqual(Object.keys(files))
    expect(Object.keys(files).length).toBeGreaterThan(30)
    for (const [name, text] of Object.entries(files)) expect([name, others[name]]).toEqual([name, text])
  })

  test.runIf(inject('isRelease'))(
    'produce the same bytes if the lake is in an object store',
    async (context) => {
      const store = await startStore()
      if (store === undefined) return context.skip('moto or httpfs is missing: no object store')
      try {
        const inStore = postgres.lake('stored', store.fields)
        await publishAlso(inStore)
        const others = await filesOf(inStore)
        for (const [name, text] of Object.entries(files)) expect([name, others[name]]).toEqual([name, text])
        const other = postgres.lake('stored', store.fields)
        await (await openWarehouse(other, resources, { accountId: 11n })).publish()
        expect(await verifyInLake(other, 11n)).toEqual([])
        expect(await maintain(other, 7)).toMatchObject({ expired: 0 })
      } finally {
        await store.stop()
      }
    },
  )

  test('return the same data through the TypeScript API', async () => {
    const { warehouse, lake: fields } = postgres.config('equal')
    const options = { ...(fields as { data: string; extensions: string }), password: PASSWORD }
    const found = async (...given: Parameters<typeof openForPrograms>) => {
      const opened = await openForPrograms(...given)
      const incidents = await opened.db
        .selectFrom('incidents')
        .select(['account_id', 'incident_id', 'title', 'start_time'])
        .orderBy('account_id')
        .orderBy('incident_id')
        .execute()
      const times = await opened.query('select count(*) as n, sum(time_to_ack_s) as s from incident_times')
      await opened.close()
      return { incidents, times }
    }
    const here = await found(warehouse, { lake: options })
    expect(here).toEqual(await found(file))
    expect(here.incidents.length).toBeGreaterThan(100)
    const report = { report: 'mtta-mttr', now: NOW * 1_000 }
    const [one, other] = [
      await reportForPrograms({ ...report, warehouse, lake: options }),
      await reportForPrograms({ ...report, warehouse: file }),
    ]
    expect(one.html).toBe(other.html)
    const wrong = openForPrograms(warehouse, { lake: { ...options, password: 'wrong-word' } })
    await expect(wrong).rejects.toThrow(/^(?!.*wrong-word).*cannot be used/)
    await expect(openForPrograms(warehouse)).rejects.toThrow('location of the lake data is missing')
    await expect(openForPrograms(warehouse, { lake: { ...options, data: '' } })).rejects.toThrow(
      /^lake\.data: /,
    )
  })

  test.runIf(inject('isRelease'))(
    'produce the same reports and exports after a copy in either direction',
    async () => {
      const folder = scratch()
      const config = (name: string, fields: object) =>
        writeFileSync(join(folder, `${name}.json`), JSON.stringify({ timezone: 'UTC', ...fields }))
      const { warehouse, lake: fields } = postgres.config('copied')
      config('file', { warehouse: file })
      config('lake', { warehouse, lake: { ...fields, work: './work' } })
      config('back', { warehouse: './back.duckdb' })
      const does = async (name: string, ...args: string[]) => {
        const words = [...args, '--config', join(folder, `${name}.json`)]
        const { code, err } = await run(words, { FAULTLINE_LAKE_PASSWORD: PASSWORD }, folder)
        expect([words, code, err]).toEqual([words, 0, ''])
      }
      // The figures of this run are rows of `report_runs` that no sync has read yet.
      noteReportRun(publishedAt(file).files, (await resultOf(file)).run, {
        version: 'test',
        now: NOW * 1_000,
      })
      await does('file', 'copy', '--to', 'lake.json')
      await does('lake', 'copy', '--to', 'back.json')
      const back = join(folder, 'back.duckdb')
      const [files, others] = [await filesOf(file), await filesOf(back)]
      expect(Object.keys(others)).toEqual(Object.keys(files))
      for (const [name, text] of Object.entries(files)) expect([name, others[name]]).toEqual([name, text])
      const exported = async (name: string) => {
        await does(name, 'export', '--format', 'csv', '--to', name)
        return readdirSync(join(folder, name)).map(
          (one) => [one, readFileSync(join(folder, name, one), 'utf8')] as const,
        )
      }
      const former = new Map(await exported('file'))
      expect(former.get('report_runs.csv')!.split('\n').length).toBeGreaterThan(3)
      // The order of rows depends on the last publish, so compare sorted rows.
      const rows = (csv: string) => csv.split('\r\n').sort()
      for (const name of ['lake', 'back']) {
        const exports = await exported(name)
        expect(exports.map(([one]) => one)).toEqual([...former.keys()])
        const meanings = (files: ReadonlyMap<string, string>) =>
          JSON.parse(files.get('datapackage.json')!).resources.find(
            (one: { name: string }) => one.name === 'incident_times.csv',
          )
        expect(meanings(new Map(exports))).toEqual(meanings(former))
        const differing = exports.filter(
          ([one, text]) => one.endsWith('.csv') && `${rows(text)}` !== `${rows(former.get(one)!)}`,
        )
        // Only this table differs, because it contains the generation number of the warehouse.
        expect([name, differing.map(([one]) => one)]).toEqual([name, OF_ITSELF])
      }
    },
  )
})

async function syncAll(path: WarehouseLocation, sandboxes: readonly Sandbox[]) {
  const clients = sandboxes.map(({ baseUrl, appKey }) =>
    createClient({ baseUrl, appKey, quota: Number.POSITIVE_INFINITY }),
  )
  const result = await syncAccounts({
    path,
    resources,
    known: resources,
    effects: realEffects(),
    version: 'test',
    jobs: 2,
    settings: defaultSettings,
    signal: new AbortController().signal,
    accounts: clients.map((client, index) => ({
      name: `company ${index}`,
      connect: () => client,
      scope: (now) => ({
        now,
        since: now - 200 * 86_400,
        lookbackDays: 31,
        windowSeconds: 31 * 86_400,
        full: false,
      }),
    })),
  })
  for (const client of clients) await client.close()
  for (const one of result.outcomes) if ('error' in one) throw one.error
  return result
}

async function resultOf(place: WarehouseLocation) {
  const reader = await openReader(place, { settings: defaultSettings })
  return runReport('reports/mtta-mttr.md', reader, { now: NOW * 1_000 }).finally(() => reader.close())
}

async function filesOf(place: WarehouseLocation): Promise<Record<string, string>> {
  const folder = scratch()
  const reader = await openReader(place, { settings: defaultSettings })
  for (const { name } of listReports('reports'))
    writeReport(await runReport(`reports/${name}.md`, reader, { now: NOW * 1_000 }), folder, ['html', 'csv'])
  reader.close()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const texts = files.map((one) => {
    const path = join(one.parentPath, one.name)
    return [path.slice(folder.length), readFileSync(path, 'utf8')]
  })
  rmSync(folder, { recursive: true })
  return Object.fromEntries(texts)
}
