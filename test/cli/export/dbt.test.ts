import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createSandbox, openWarehouse, sync } from '../../../src/sdk/index.ts'
import { run } from '../../support/cli.ts'
import { installed } from '../../support/python.ts'

const folder = mkdtempSync(join(tmpdir(), "faultline-dbt it's-"))
const [pack, data] = [join(folder, 'pack'), join(folder, 'data')]
const warehouse = join(folder, 'faultline.duckdb')
const exported = (...more: string[]) => run(['export', '--warehouse', warehouse, '--to', data, ...more])
beforeAll(async () => {
  const sandbox = await createSandbox({ incidents: 300, limits: false })
  const { baseUrl, appKey } = sandbox
  await sync({ baseUrl, appKey, warehouse, since: new Date(Date.now() - 120 * 86_400_000) })
  await sandbox.close()
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Resource {
  readonly name: string
  readonly description?: string
  readonly schema: { readonly primaryKey?: string[] }
}
const resourcesIn = (place: string) =>
  (JSON.parse(readFileSync(join(place, 'datapackage.json'), 'utf8')) as { resources: Resource[] }).resources

test('metrics are exported on request, with their keys', async () => {
  expect(await exported('incident_times')).toMatchObject({ code: 0 })
  expect(resourcesIn(data).map(({ name, schema }) => [name, schema.primaryKey])).toEqual([
    ['incident_times.parquet', ['account_id', 'incident_id']],
  ])
  expect(await exported('metric_rhythm', '--format', 'csv')).toMatchObject({ code: 0 })
  expect(resourcesIn(data)).toMatchObject([
    { name: 'metric_rhythm.csv', schema: { primaryKey: ['weekday', 'hour'] } },
  ])
  expect(readFileSync(join(data, 'metric_rhythm.csv'), 'utf8').trim().split('\r\n')).toHaveLength(169)
  expect(await exported('--metrics')).toMatchObject({ code: 0 })
  const all = resourcesIn(data)
  expect(all.filter(({ name }) => name.startsWith('metric_')).length).toBeGreaterThan(15)
  expect(all.find(({ name }) => name === 'incidents.parquet')?.schema.primaryKey).toEqual([
    'account_id',
    'incident_id',
  ])
  for (const { name, description } of all) expect(description, name).toBeTruthy()
  expect(await exported('metric_nothing')).toMatchObject({ code: 2 })
})

test('a package does not replace another project, and requires Parquet', async () => {
  const mine = join(folder, 'mine')
  mkdirSync(join(mine, 'models'), { recursive: true })
  writeFileSync(join(mine, 'models', 'a.sql'), 'select 1')
  const { code, err } = await exported('--dbt', mine)
  expect([code, err]).toEqual([2, expect.stringContaining('not of an export')])
  expect(readdirSync(mine)).toEqual(['models'])
  expect((await exported('--dbt', pack, '--format', 'csv')).err).toContain('parquet')
})

const PACKAGES = ['dbt-core==1.10.*', 'dbt-duckdb==1.10.*']

describe.runIf(inject('isRelease'))('a project of dbt over an export', () => {
  test('is built with all tests, and its figures match the warehouse', async (context) => {
    const python = join(folder, 'python')
    if (!installed(PACKAGES, python)) return context.skip('dbt-duckdb could not be installed')
    expect(await exported('--dbt', pack)).toMatchObject({ code: 0 })
    // A second one replaces the first.
    expect(await exported('--dbt', pack)).toMatchObject({ code: 0 })
    const figures = `select incident_severity, acknowledged, closed_by_hand from REL where team_name = '(all)' order by all`
    const mine = join(folder, 'project')
    mkdirSync(join(mine, 'models'), { recursive: true })
    const written = {
      'dbt_project.yml': 'name: mine\nversion: "1.0.0"\nconfig-version: 2\nprofile: mine\n',
      'packages.yml': 'packages: [{ local: ../pack }]\n',
      'profiles.yml': `mine: { target: d, outputs: { d: { type: duckdb, path: mine.duckdb, settings: { TimeZone: UTC } } } }\n`,
      'models/figures.sql': figures.replace('REL', "{{ source('faultline', 'metric_acknowledgement') }}"),
      'models/closed.sql':
        "select count(*) as n, median(time_to_resolve_s) as mttr from {{ source('faultline', 'incident_times') }}",
    }
    for (const [file, text] of Object.entries(written)) writeFileSync(join(mine, file), text)
    const environment = {
      ...process.env,
      PYTHONPATH: python,
      DBT_SEND_ANONYMOUS_USAGE_STATS: 'false',
      NO_COLOR: '1',
    }
    const dbt = (...words: string[]) =>
      spawnSync('python3', ['-m', 'dbt.cli.main', ...words, '--profiles-dir', '.'], {
        ...{ cwd: mine, env: environment, encoding: 'utf8' },
      })
    expect(dbt('deps')).toMatchObject({ status: 0 })
    const { status, stdout } = dbt('build')
    expect(stdout).toMatch(/PASS=1[3-9]\d WARN=0 ERROR=0 SKIP=0/)
    expect(status).toBe(0)

    const read = spawnSync(
      'python3',
      [
        '-c',
        "import duckdb, json; c = duckdb.connect('mine.duckdb'); print(json.dumps([c.execute('from figures').fetchall(), c.execute('from closed').fetchall()]))",
      ],
      { cwd: mine, env: environment, encoding: 'utf8' },
    )
    const opened = await openWarehouse(warehouse)
    const rows = async (sql: string) =>
      (await opened.query(sql)).map((row) =>
        Object.values(row).map((one) => (typeof one === 'bigint' ? Number(one) : one)),
      )
    expect(JSON.parse(read.stdout)).toEqual([
      await rows(figures.replace('REL', 'acknowledgement()')),
      await rows('select count(*) as n, median(time_to_resolve_s) as mttr from incident_times'),
    ])
    await opened.close()
  }, 600_000)
})
