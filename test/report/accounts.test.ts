import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { ConfigError } from '../../src/errors.ts'
import type { QueryResult, ReportResult } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { listReports } from '../../src/report/list.ts'
import { runReport } from '../../src/report/run.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { run } from '../support/cli.ts'
import { insert } from '../support/tables.ts'
import { reportFile, scratch, warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

const DAY = 86_400
/** EMEA was read a day before APAC. */
const EMEA = { account_id: 7, asOf: Date.UTC(2026, 9, 31) / 1_000, name: 'EMEA' }
const APAC = { account_id: 8, asOf: Date.UTC(2026, 10, 1) / 1_000, name: null }

/** Two accounts with the same ids: EMEA has an incident a day, APAC one every other day, with another team. */
async function settle(connection: DuckDBConnection): Promise<void> {
  const rows = [EMEA, APAC].map(({ account_id, asOf, name }, which) => {
    const incidents = Array.from({ length: 120 / (which + 1) }, (_, index) => {
      const start_time = asOf - (index * (which + 1) + 0.5) * DAY
      return {
        account_id,
        incident_id: `i${index}`,
        start_time,
        ack_time: start_time + 60 * (which + 1),
        close_time: start_time + 600,
        end_time: start_time + 300,
        created_at: start_time,
        progress: 'Closed',
        closer_id: 1,
        incident_severity: 'Critical',
        channel_id: 5,
        account_time_zone: 'UTC',
      }
    })
    const responders = incidents.map(({ incident_id, start_time }) => ({
      account_id,
      incident_id,
      ordinal: 0,
      person_id: 9,
      assigned_at: start_time,
    }))
    return {
      incidents,
      incident_responders: responders,
      accounts: [{ account_id, name }],
      channels: [{ account_id, channel_id: 5, channel_name: `channel ${which}`, team_id: 6 }],
      teams: [{ account_id, team_id: 6, team_name: `team ${which}` }],
      members: [{ account_id, member_id: 9, member_name: `person ${which}` }],
      sync_runs: [{ run_id: which, account_id, status: 'ok', finished_at: asOf + 9, as_of_at: asOf }],
      sync_windows: [
        {
          account_id,
          run_id: which,
          resource: 'incidents',
          window_start: asOf - 365 * DAY,
          window_end: asOf,
          state: 'done',
        },
      ],
    }
  })
  for (const table of Object.keys(rows[0]!) as (keyof (typeof rows)[0])[]) {
    await insert(
      connection,
      table,
      rows.flatMap((one): object[] => one[table]),
    )
  }
}

let reader: Reader
let warehouse: string
beforeAll(async () => {
  warehouse = await warehouseFile(settle)
  reader = await openReader(warehouse, { settings: defaultSettings })
})
afterAll(() => reader.close())

const QUERIES = {
  scoped: `select account_id::int as account, count(*)::int as n, median(tta) as tta from scoped_incidents
    where period = 'current' group by all order by all`,
  raw: 'select account_id::int as account, count(*)::int as n from incident_responders group by all order by all',
  pages: 'select member_name, team_name, count(*)::int as n from scoped_pages group by all order by all',
  views: `select account_id::int as account, count(*)::int as n from data_quality group by all order by all`,
  curve: 'select max(at_risk)::int as n from survival_curve()',
  windows: 'select count(*)::int as n from sync_windows',
  bound: 'select $accounts::bigint[] as accounts',
}
const file = () =>
  reportFile(
    Object.entries(QUERIES)
      .map(([name, text]) => `\`\`\`sql ${name}\n${text}\n\`\`\`\n`)
      .join(''),
    'title: T\nparams: { period: 4 weeks }',
  )
const rowsOf = (result: ReportResult, name: string) => {
  const { columns, rows } = result.queries.find((query) => query.name === name) as QueryResult
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column.name, row[index]])))
}

describe('a report of a warehouse with several accounts', () => {
  test('is across all of them, as of the one that was read longest ago, and names them', async () => {
    const result = await runReport(file(), reader)
    expect(result.frame).toMatchObject({ accounts: '8, EMEA', asOfInstant: new Date(EMEA.asOf * 1_000) })
    expect(rowsOf(result, 'scoped')).toEqual([
      { account: 7, n: 28, tta: 60 },
      { account: 8, n: 14, tta: 120 },
    ])
    expect(rowsOf(result, 'raw')).toEqual([
      { account: 7, n: 120 },
      { account: 8, n: 60 },
    ])
    expect(rowsOf(result, 'bound')).toEqual([{ accounts: null }])
    expect(toHtml(result)).toContain('<li>8, EMEA')
  })

  test.each(['EMEA', 'emea', '7'])('can be of one, by name or number: %s', async (account) => {
    const result = await runReport(file(), reader, { account })
    expect(result.frame).toMatchObject({ accounts: 'EMEA', asOfInstant: new Date(EMEA.asOf * 1_000) })
    expect(Object.keys(QUERIES).map((name) => rowsOf(result, name))).toEqual([
      [{ account: 7, n: 28, tta: 60 }],
      [{ account: 7, n: 120 }],
      [{ member_name: 'person 0', team_name: 'team 0', n: expect.any(Number) }],
      [{ account: 7, n: expect.any(Number) }],
      [{ n: 120 }],
      [{ n: 1 }],
      [{ accounts: [7n] }],
    ])
    expect(result.counted.funnel[0]!.count).toBe(28)
  })

  test('is as of the account that was chosen', async () => {
    const { frame } = await runReport(file(), reader, { account: '8' })
    expect(frame).toMatchObject({ accounts: '8', asOfInstant: new Date(APAC.asOf * 1_000) })
  })

  test('leaves other reports alone: each has a session of its own', async () => {
    const [one, all] = await Promise.all([
      runReport(file(), reader, { account: 'EMEA' }),
      runReport(file(), reader),
    ])
    expect(rowsOf(one, 'raw')).toHaveLength(1)
    expect(rowsOf(all, 'raw')).toHaveLength(2)
  })

  test('takes accounts from the front matter; the caller goes before', async () => {
    const front = (account: string) =>
      reportFile(`\`\`\`sql raw\n${QUERIES.raw}\n\`\`\`\n`, `title: T\nparams: { account: ${account} }`)
    expect(rowsOf(await runReport(front('EMEA'), reader), 'raw')).toEqual([{ account: 7, n: 120 }])
    expect(rowsOf(await runReport(front('"7"'), reader), 'raw')).toHaveLength(1)
    expect(rowsOf(await runReport(front('[EMEA, "8"]'), reader), 'raw')).toHaveLength(2)
    expect(rowsOf(await runReport(front('EMEA'), reader, { account: 'all' }), 'raw')).toHaveLength(2)
  })

  test('of an account that is not there is refused', async () => {
    const error = await runReport(file(), reader, { account: 'EMAE' }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({
      message: 'The warehouse holds no account "EMAE".',
      next: 'Did you mean "EMEA"?',
    })
  })

  test('that comes with the program runs across and for each', async () => {
    const all = listReports('reports')
    expect(all.length).toBeGreaterThan(2)
    for (const { file: one } of all) {
      for (const account of ['all', '8'])
        expect((await runReport(one, reader, { account })).empty).toBe(false)
    }
  }, 120_000)
})

test('a warehouse of one account does not name it, nor is it narrowed by its number', async () => {
  const alone = await openReader(await warehouseFile(settleCompany), { settings: defaultSettings })
  try {
    const { frame, empty } = await runReport(reportFile(''), alone)
    expect(frame.accounts).toBeNull()
    expect(empty).toBe(false)
    expect((await runReport(reportFile(''), alone, { account: '1' })).frame.accounts).toBeNull()
  } finally {
    alone.close()
  }
})

test('a session that is used again forgets the accounts of the report before', async () => {
  const sessions = pooled(reader, { timesKept: true })
  const counts = reportFile(
    '```sql q\nselect count(*) as n from scoped_incidents\n```\n{{ q.n | number }}\n',
    'title: T\nparams: { period: 4 weeks }',
  )
  const countsOf = async (from: Pick<Reader, 'session'>) => {
    const all = []
    for (const account of [undefined, 'EMEA', '8', undefined])
      all.push((await runReport(counts, from, { account })).verdict)
    return all
  }
  const wanted = await countsOf(reader)
  expect(new Set(wanted).size).toBe(3)
  expect(await countsOf(sessions)).toEqual(wanted)
})

test('the reports of an account share what --all-accounts made of it, and nothing else; a file with a mistake keeps none back', async () => {
  const folder = scratch()
  const own = join(folder, 'own')
  mkdirSync(own)
  const counts = (name: string) =>
    ['incidents', 'accounts', 'incident_times'].map(
      (table) => `\`\`\`sql ${name}_${table}\nselect count(*) as n from ${table}\n\`\`\`\n`,
    )
  const report = (name: string, body: string) =>
    writeFileSync(join(own, `${name}.md`), `---\ntitle: T\n---\n${body}`)
  report('a-counts', counts('one').join(''))
  report(
    'b-shadows',
    ['incidents', 'incident_times'].map((table) => `\`\`\`sql ${table}\nselect 42 as n\n\`\`\`\n`).join(''),
  )
  report('b-takes', '```sql times_of_all\nselect 42 as n\n```\n')
  report('c-counts', counts('two').join(''))
  report('d-wrong', '```sql q\nselect nothing from incidents\n```\n')
  report('e-broken', '```sql\n')
  const quality = { age: { warn: null, error: null } }
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ warehouse, reports: own, reporting: { quality } }),
  )
  const names = ['e-broken', 'a-counts', 'b-takes', 'b-shadows', 'c-counts', 'd-wrong']
  const { code, err } = await run(
    ['report', ...names, '--all-accounts', '--jobs', '1', '--format', 'csv', '--out', 'out'],
    {},
    folder,
  )
  expect(code).toBe(1)
  expect(err.match(/error: own\/e-broken.md:\d+: /g)).toHaveLength(1)
  expect(err).toMatch(/error: d-wrong of .*"q" failed/)
  const csv = (account: string, name: string) =>
    readFileSync(join(folder, 'out', 'accounts', account, `${name}.csv`), 'utf8').split('\r\n')[1]
  for (const [account, rows] of [
    ['emea-7', '120'],
    ['8', '60'],
  ] as const) {
    for (const name of ['a-counts/one', 'c-counts/two']) {
      const found = ['incidents', 'accounts', 'incident_times'].map((table) =>
        csv(account, `${name}_${table}`),
      )
      expect([account, name, found]).toEqual([account, name, [rows, '1', rows]])
    }
  }
})

test('report --all-accounts makes what --account makes of each, whatever runs side by side', async () => {
  const folder = scratch()
  const report = (...args: string[]) =>
    run(['report', 'severity-trend', '--warehouse', warehouse, ...args], {}, folder)
  const quality = { age: { warn: null, error: null } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ reporting: { quality } }))
  const all = await report('--all-accounts', '--jobs', '2', '--out', 'all')
  expect(all).toMatchObject({ code: 0, out: expect.stringContaining('all/accounts/: pages of 2 accounts') })
  const made = join(folder, 'all', 'accounts')
  expect(readdirSync(made).sort()).toEqual(['8', 'emea-7', 'index.html'])
  for (const [own, account] of [
    ['emea-7', 'EMEA'],
    ['8', '8'],
  ] as const) {
    expect((await report('--account', account, '--out', account)).code).toBe(0)
    const tables = readdirSync(join(folder, account, 'severity-trend'))
    expect(tables.length).toBeGreaterThan(2)
    for (const table of tables) {
      const [one, other] = [join(made, own), join(folder, account)].map((place) =>
        readFileSync(join(place, 'severity-trend', table), 'utf8'),
      )
      expect([table, one]).toEqual([table, other])
    }
    expect(readFileSync(join(made, own, 'index.html'), 'utf8')).toContain('href="severity-trend.html"')
  }
  expect(readFileSync(join(made, 'index.html'), 'utf8')).toContain('href="emea-7/index.html"')
  const some = await report('--all-accounts', '--account', 'emea', '--out', 'some')
  expect([some.code, readdirSync(join(folder, 'some', 'accounts')).sort()]).toEqual([
    0,
    ['emea-7', 'index.html'],
  ])
  // The list is read as `--account` alone is.
  const every = await report('--all-accounts', '--account', 'all', '--out', 'every')
  expect([every.code, readdirSync(join(folder, 'every', 'accounts')).length]).toEqual([0, 3])
  writeFileSync(join(folder, 'config.json'), '{}')
  expect(await report('--all-accounts', '--out', 'old')).toMatchObject({
    code: 3,
    err: expect.stringContaining('failed: severity-trend of EMEA:'),
  })
  expect(await report('--all-accounts', '--account', 'nobody')).toMatchObject({ code: 2 })
  expect(await report('--all-accounts', '--teams')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--teams is not possible with --all-accounts'),
  })
})
