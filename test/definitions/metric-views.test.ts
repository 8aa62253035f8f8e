import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { metricViews } from '../../src/definitions/metric-views.ts'
import { parseViewFile } from '../../src/definitions/view-file.ts'
import { viewFiles } from '../../src/definitions/views.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { filterByAccount } from '../../src/warehouse/read/account-filter.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { EMEA, settleTwoAccounts } from '../page/accounts-world.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

const metrics = metricViews(viewFiles())
const names = metrics.map(({ name }) => name)
const called = (name: string) => `${name.replace('metric_', '')}()`

const differing = (one: string, other: string) =>
  `select count(*) from ((from ${one} except all from ${other}) union all (from ${other} except all from ${one}))`

let path: string
let reader: Reader
beforeAll(async () => {
  path = await warehouseFile(settleCompany)
  reader = await openReader(path, { settings: defaultSettings })
})
afterAll(() => reader.close())
const count = async (sql: string, of: { query: Reader['query'] } = reader) =>
  Number((await of.query(sql)).rows[0]![0])

describe('the database view of a metric', () => {
  test('exists only if the SQL file of the metric states a question', () => {
    expect(names).toContain('metric_acknowledgement')
    expect(names).not.toContain('metric_duration_figures')
    for (const { question } of metrics) expect(question).toMatch(/^[A-Z].*\?$/)
  })

  test.each(metrics)('returns the rows of the metric $name, with a unique key', async ({ name, key }) => {
    expect(await count(differing(name, called(name)))).toBe(0)
    const rows = await count(`select count(*) from ${name}`)
    if (key.length === 0) expect(rows).toBe(1)
    else {
      const isMissing = key.map((column) => `${column} is null`).join(' or ')
      expect(await count(`select count(*) from ${name} where ${isMissing}`)).toBe(0)
      expect(await count(`select count(*) from (select distinct ${key.join(', ')} from ${name})`)).toBe(rows)
    }
  })

  test('works and keeps its comments if the database is attached under another name', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    await connection.run(`attach '${path}' as elsewhere (read_only)`)
    const found = await connection.runAndReadAll(
      `select count(*), (select comment from duckdb_views() where view_name = 'metric_rhythm'),
        (select comment from duckdb_columns() where table_name = 'metric_rhythm' and column_name = 'share')
      from elsewhere.metric_rhythm`,
    )
    const [rows, meaning, ofColumn] = found.getRows()[0]!
    expect([Number(rows), String(meaning)]).toEqual([168, expect.stringContaining('weekday and hour')])
    expect(ofColumn).toBeTruthy()
    connection.closeSync()
  })

  test('uses the targets of the session instead of the targets stored in the file', async () => {
    const targets = [
      {
        severity: 'Critical',
        ack_target_s: 1,
        resolve_target_s: null,
        ack_goal: 0.9,
        resolve_goal: null,
      },
    ]
    const strict = await openReader(path, { settings: { ...defaultSettings, targets } })
    const met =
      "select coalesce(sum(met), 0) from metric_target_attainment where measure = 'acknowledge' and team_name = '(all)' and incident_severity = 'Critical'"
    expect(await count(met, strict)).toBe(0)
    expect(await count(met)).toBeGreaterThan(0)
    strict.close()
  })
})

test('a session restricted to one account sees only the metrics of that account', async () => {
  const two = await openReader(await warehouseFile(settleTwoAccounts), { settings: defaultSettings })
  const sources =
    "select count(distinct account_id), sum(incidents)::int from metric_noisy_sources where source_kind = 'channel'"
  expect((await two.query(sources)).rows[0]!.map(Number)).toEqual([2, 180])
  for (const isAskedBefore of [false, true]) {
    const session = await two.session()
    if (isAskedBefore) await session.query(sources)
    await filterByAccount(session, [BigInt(EMEA.account_id)])
    expect((await session.query(sources)).rows[0]!.map(Number)).toEqual([1, 120])
    session.close()
  }
  two.close()
})

describe('a question in the header of an SQL file', () => {
  const file = (head: string, made: string) => () =>
    parseViewFile('sql/own/mine.sql', `-- Mine.\n${head}\n${made}`)
  const macro = (parameters: string) =>
    `create or replace macro mine(${parameters}) as table\nselect 1 as n, 2 as m`

  test('requires a metric that can be called without arguments', () => {
    expect(
      file('-- question: How many?\n-- key: n\n-- columns:\n-- n: number', macro('a := 1'))(),
    ).toMatchObject({
      ...{ comment: 'Mine.', question: 'How many?', key: ['n'] },
    })
    expect(file('-- question: How many?', macro('a, b := 1'))).toThrow(/without arguments/)
    expect(file('-- question: How many?', 'select 1 as n')).toThrow(/without arguments/)
    expect(file('-- key: x\n-- columns:\n-- n: number', 'select 1 as n')).toThrow(/its key contains x/)
  })
})
