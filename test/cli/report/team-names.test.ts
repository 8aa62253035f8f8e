import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../../src/config/settings.ts'
import { runReport } from '../../../src/report/run.ts'
import { openReader } from '../../../src/warehouse/read/reader.ts'
import { run } from '../../support/cli.ts'
import { reportFile, scratch, warehouseFile } from '../../support/warehouse.ts'
import { settleCompany } from '../../support/world.ts'

/** Names of the company's teams 11 to 16 that a folder's name could not tell apart, and one that is a word of the options. */
const names = ['Data Platform', 'Data-Platform', 'Payments', 'payments', 'OPS', 'OPS ']

let warehouse: string
const folder = scratch()
const out = join(folder, 'out')
const teams = join(out, 'teams')
const page = (...path: string[]) => readFileSync(join(out, ...path), 'utf8')

/** What a folder's page says it is about, and how many incidents its file has. */
const shownIn = (name: string) => ({
  team: /<li>((?:Data|Pay|pay|OPS|All|all)[^<]*)<\/li>/.exec(page('teams', name, 'severity-trend.html'))?.[1],
  incidents: page('teams', name, 'severity-trend', 'all_incidents.csv').trimEnd().split('\r\n').length - 1,
})

async function change(statement: string): Promise<void> {
  const instance = await DuckDBInstance.create(warehouse, { threads: '1' })
  const connection = await instance.connect()
  await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}

const rename = (id: number, name: string) =>
  change(`update teams set team_name = '${name}' where team_id = ${id}`)

/** The addresses that the page of all teams, and the index of a folder, lead to. */
const linksOf = (html: string) =>
  [...html.matchAll(/href="([^"#]+\.html)"/g)].map(([, href]) => decodeURIComponent(href!))

async function make(...options: string[]) {
  const { code, err } = await run(
    ['report', 'severity-trend', 'team-overview', '--period', '26w', ...options],
    {},
    folder,
  )
  expect([code, err.match(/error:.*/)]).toEqual([0, null])
}

beforeAll(async () => {
  warehouse = await warehouseFile(settleCompany)
  for (const [index, name] of names.entries()) await rename(11 + index, name)
  const quality = { age: { warn: null, error: null } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ warehouse, out, reporting: { quality } }))
}, 300_000)

describe('teams whose names make one folder', () => {
  test('have each pages of their own, with their own incidents, and all are linked', async () => {
    await make('--teams')
    const own = names.map((name, index) => `${name.trim().toLowerCase().replace(' ', '-')}_${11 + index}`)
    expect(own.map((name) => shownIn(name).team)).toEqual(names)
    const counts = own.map((name) => shownIn(name).incidents)
    expect(new Set(counts).size).toBe(names.length)
    expect(
      [...new Set(linksOf(page('team-overview.html')))].filter((link) => link.startsWith('teams/')).sort(),
    ).toEqual(own.map((name) => `teams/${name}/index.html`).sort())
  }, 300_000)

  test('the address that they would share is a page that names them', () => {
    for (const [shared, ids] of Object.entries({
      'data-platform': [11, 12],
      payments: [13, 14],
      ops: [15, 16],
    })) {
      expect(readdirSync(join(teams, shared)), shared).toEqual(['index.html'])
      expect(linksOf(page('teams', shared, 'index.html'))).toEqual(
        ids.map((id) => `../${shared}_${id}/index.html`),
      )
    }
  })

  test('a team that is named alone gets its own address too', async () => {
    await make('--team', 'payments')
    expect(shownIn('payments_14').team).toBe('payments')
    expect(readdirSync(join(teams, 'payments'))).toEqual(['index.html'])
    const { err, code } = await run(['report', 'severity-trend', '--team', 'PAYMENTS'], {}, folder)
    expect(code).toBe(2)
    expect(err).toContain('Did you mean "Payments" or "payments"?')
  }, 300_000)
})

test("the lists behind a figure are each team's own", async () => {
  const file = reportFile(
    '```sql q\nselect team_name as team, count(*) as incidents from scoped_incidents group by all order by all\n```\n```table\ndata: q\nincidents: team\n```\n',
  )
  const reader = await openReader(warehouse, { settings: defaultSettings })
  const { lists: found } = await runReport(file, reader)
  reader.close()
  const lists = found!.lists.filter(({ label }) => names.includes(label))
  expect(lists.map(({ label }) => label).sort()).toEqual([...names].sort())
  expect(new Set(lists.map(({ id }) => id)).size).toBe(names.length)
})

test('a team of that name in another account has pages of its own, and each shows its own incidents', async () => {
  for (const table of ['teams', 'channels'])
    await change(`insert into ${table} by name select * replace (8 as account_id) from ${table}`)
  await change(`update incidents set account_id = 8 where channel_id = 3 and num like '%7'`)
  await change(`insert into sync_runs by name select * replace (8 as account_id) from sync_runs`)
  const before = shownIn('payments_13').incidents
  await make('--teams')
  const [account] = readdirSync(teams)
    .flatMap((name) => /^payments_(\d+)-13$/.exec(name)?.[1] ?? [])
    .filter((id) => id !== '8')
  const [own, other] = [shownIn(`payments_${account}-13`), shownIn('payments_8-13')]
  expect([own.team, other.team]).toEqual(['Payments', 'Payments'])
  expect(other.incidents).toBeGreaterThan(0)
  expect(own.incidents + other.incidents).toBe(before)
  // The row of both leads to the page that names both.
  expect(linksOf(page('team-overview.html'))).toContain('teams/payments/index.html')
  expect(linksOf(page('teams', 'payments', 'index.html'))).toEqual(
    expect.arrayContaining([`../payments_${account}-13/index.html`, '../payments_8-13/index.html']),
  )
}, 300_000)
