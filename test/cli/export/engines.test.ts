import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createSandbox, openWarehouse, sync } from '../../../src/sdk/index.ts'
import { run } from '../../support/cli.ts'
import { ownFolder } from '../../support/folder.ts'
import { installed } from '../../support/python.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const FIGURES = `select count(*) as n, cast(sum(time_to_resolve_s) as double) as seconds,
  cast(median(time_to_ack_s) as double) as mtta, cast(median(time_to_resolve_s) as double) as mttr,
  cast(max(start_time) as varchar(30)) like '2%' as has_time
  from incident_times where incident_severity = 'Critical'`

/** Makes an SQL engine print the number of rows of each table, and these figures. */
const PROGRAMS = {
  datafusion: `
from datafusion import SessionContext
session = SessionContext()
def table(name, path): session.register_parquet(name, path)
def rows(query): return [[column[0].as_py() for column in batch.columns] for batch in session.sql(query).collect()]
`,
  pyspark: `
from pyspark.sql import SparkSession
session = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').config('spark.sql.session.timeZone', 'UTC').config('spark.driver.bindAddress', '127.0.0.1').config('spark.driver.host', '127.0.0.1').getOrCreate()
def table(name, path): session.read.parquet(path).createOrReplaceTempView(name)
def rows(query): return [list(row) for row in session.sql(query).collect()]
`,
} as const
const REST = `
import json, os, sys
folder, query = sys.argv[1:]
counts = {}
for one in json.load(open(f'{folder}/manifest.json'))['exports']:
  name, files = one['table'], one['files']
  table(name, f'{folder}/{name}/' if '/' in files[0] else f'{folder}/{files[0]}')
  counts[name] = rows(f'select count(*) from {name}')[0][0]
print(json.dumps([counts, rows(query)[0]]))
`

describe('an export read by another SQL engine', () => {
  const folder = ownFolder()
  const warehouse = join(folder, 'faultline.duckdb')
  const exported = join(folder, 'exported')
  let expected: [Record<string, number>, unknown[]]
  beforeAll(async () => {
    const sandbox = await createSandbox({ incidents: 300, limits: false })
    const { baseUrl, appKey } = sandbox
    await sync({ baseUrl, appKey, warehouse, since: new Date(Date.now() - 120 * 86_400_000) })
    await sandbox.close()
    expect(await run(['export', '--warehouse', warehouse, '--to', exported])).toMatchObject({ code: 0 })
    const { exports } = JSON.parse(readFileSync(join(exported, 'manifest.json'), 'utf8')) as {
      exports: { table: string }[]
    }
    const opened = await openWarehouse(warehouse)
    const counts: Record<string, number> = {}
    for (const { table } of exports)
      counts[table] = Number((await opened.query(`select count(*) as n from ${table}`))[0]!.n)
    const [figures] = await opened.query(FIGURES)
    await opened.close()
    expected = [counts, Object.values(figures!).map((one) => (typeof one === 'bigint' ? Number(one) : one))]
    expect(expected[1][0]).toBeGreaterThan(5)
    expect(counts.incident_times).toBeGreaterThan(100)
  })

  test('gives the same counts and figures in DataFusion as the warehouse does', async (context) => {
    const packages = join(folder, 'packages')
    if (!installed(['datafusion'], packages)) return context.skip('datafusion could not be installed')
    await reads('datafusion', packages)
  })

  // Spark (400 MB) is not installed here. Use `pip install --target FOLDER 'pyspark==3.5.*'` and PYTHONPATH=FOLDER.
  test('gives the same counts and figures in Spark as the warehouse does', async (context) => {
    const { PYTHONPATH = '' } = process.env
    const isThere =
      spawnSync('python3', ['-c', 'import pyspark']).status === 0 &&
      spawnSync('java', ['-version']).status === 0
    if (!isThere) return context.skip('pyspark or java is not here')
    await reads('pyspark', PYTHONPATH)
  })

  async function reads(engine: keyof typeof PROGRAMS, packages: string) {
    const env = { ...process.env, PYTHONPATH: packages }
    const { stdout } = await promisify(execFile)(
      'python3',
      ['-c', PROGRAMS[engine] + REST, exported, FIGURES],
      { env },
    )
    expect(JSON.parse(stdout)).toEqual(expected)
  }
})
