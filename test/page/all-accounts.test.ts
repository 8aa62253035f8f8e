import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { run } from '../support/cli.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, scratch, warehouseFile } from '../support/warehouse.ts'
import { settleTwoAccounts } from './accounts-world.ts'

let reader: Reader
let warehouse: string
beforeAll(async () => {
  warehouse = await warehouseFile(settleTwoAccounts)
  reader = await openReader(warehouse, { settings: defaultSettings })
})
afterAll(() => reader.close())

test('a reused session does not keep the account filter of the previous report', async () => {
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

test('`faultline report --all-accounts` never shares a table between different accounts', async () => {
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
    ['report', ...names, '--all-accounts', '--jobs', '1', '--format', 'csv', '--to', 'out'],
    {},
    folder,
  )
  expect(code).toBe(1)
  expect(err.match(/error: own\/e-broken.md:\d+: /g)).toHaveLength(1)
  expect(err).toMatch(/error: .*d-wrong.md:\d+ of EMEA: .*"q" failed/)
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

test('`faultline report --all-accounts` writes the same tables for each account as `--account`', async () => {
  const folder = scratch()
  const report = (...args: string[]) =>
    run(['report', 'severity-trend', '--warehouse', warehouse, ...args], {}, folder)
  const quality = { age: { warn: null, error: null } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ reporting: { quality } }))
  const all = await report('--all-accounts', '--jobs', '2', '--to', 'all')
  expect(all).toMatchObject({ code: 0, out: expect.stringContaining('all/accounts/: pages of 2 accounts') })
  const made = join(folder, 'all', 'accounts')
  expect(readdirSync(made).sort()).toEqual(['8', 'emea-7', 'index.html'])
  for (const [own, account] of [
    ['emea-7', 'EMEA'],
    ['8', '8'],
  ] as const) {
    expect((await report('--account', account, '--to', account)).code).toBe(0)
    const tables = readdirSync(join(folder, account, 'severity-trend')).filter((name) =>
      name.endsWith('.csv'),
    )
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
  const some = await report('--all-accounts', '--account', 'emea', '--to', 'some')
  expect([some.code, readdirSync(join(folder, 'some', 'accounts')).sort()]).toEqual([
    0,
    ['emea-7', 'index.html'],
  ])
})
