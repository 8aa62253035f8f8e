import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../../src/report/run.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import { run } from '../../support/cli.ts'
import { openReader } from '../../support/storage.ts'
import { reportFile, scratch, warehouseFile } from '../../support/warehouse.ts'
import { settleCompany } from '../../support/world.ts'

/** Names of the company's teams 11 to 16, some of them similar and two equal. */
const names = ['Data Platform', 'Data-Platform', 'Payments', 'payments', 'OPS', 'OPS']
/** Their names in the reports. */
const shown = ['Data Platform', 'Data-Platform', 'Payments', 'payments', 'OPS (15)', 'OPS (16)']

let warehouse: string
const folder = scratch()
const out = join(folder, 'out')
const teams = join(out, 'teams')
const page = (...path: string[]) => readFileSync(join(out, ...path), 'utf8')

/** The team on a folder's page, and the number of incidents in its file. */
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

/** The links of the page of all teams and of the index of a folder. */
const linksOf = (html: string) =>
  [...html.matchAll(/href="([^"#]+\.html)"/g)].map(([, href]) => decodeURIComponent(href!))

async function make(...options: string[]) {
  const { code, err } = await run(['report', 'severity-trend', 'team-overview', ...options], {}, folder)
  expect([code, err.match(/error:.*/)]).toEqual([0, null])
}

beforeAll(async () => {
  warehouse = await warehouseFile(settleCompany)
  for (const [index, name] of names.entries()) await rename(11 + index, name)
  const quality = { age: { warn: null, error: null } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ warehouse, out, reporting: { quality } }))
}, 300_000)

describe('teams with similar names', () => {
  test('each have their own linked pages at their id, with their own incidents', async () => {
    await make('--teams')
    const own = names.map((_, index) => `${11 + index}`)
    expect(own.map((id) => shownIn(id).team)).toEqual(shown)
    const counts = own.map((id) => shownIn(id).incidents)
    expect(new Set(counts).size).toBe(names.length)
    const links = new Set(linksOf(page('team-overview.html')).filter((link) => link.startsWith('teams/')))
    expect([...links].sort()).toEqual(own.map((id) => `teams/${id}/index.html`))
    expect(linksOf(page('index.html'))).toEqual(expect.arrayContaining([...links]))
  }, 300_000)

  test('keep their address when they are renamed', async () => {
    await rename(13, 'Payroll')
    await make('--team', 'Payroll')
    expect(shownIn('13').team).toBe('Payroll')
    expect(readdirSync(teams).sort()).toEqual([...names.map((_, index) => `${11 + index}`), 'index.html'])
    await rename(13, 'Payments')
  }, 300_000)

  test('have the same names as in the reports', async () => {
    await make('--team', 'OPS (16)')
    expect(shownIn('16').team).toBe('OPS (16)')
    const { err, code } = await run(['report', 'severity-trend', '--team', 'OPS'], {}, folder)
    expect(code).toBe(2)
    expect(err).toContain('OPS (15)')
  }, 300_000)
})

test('each team has its own lists behind a figure', async () => {
  const file = reportFile(
    '```sql q\nselect team_name as team, count(*) as incidents from scoped_incidents group by all order by all\n```\n```table\ndata: q\nincidents: team\n```\n',
  )
  const reader = await openReader(warehouse, { settings: defaultSettings })
  const { lists: found } = await runReport(file, reader)
  reader.close()
  const lists = found!.lists.filter(({ label }) => shown.includes(label))
  expect(lists.map(({ label }) => label).sort()).toEqual([...shown].sort())
  expect(new Set(lists.map(({ id }) => id)).size).toBe(names.length)
})

test('a team with the same name in another account has its own pages and incidents', async () => {
  for (const table of ['teams', 'channels'])
    await change(`insert into ${table} by name select * replace (8 as account_id) from ${table}`)
  await change(`update incidents set account_id = 8 where channel_id = 3 and num like '%7'`)
  await change(`insert into sync_runs by name select * replace (8 as account_id) from sync_runs`)
  await make('--teams')
  const before = shownIn('13').incidents
  const folders = readdirSync(teams).filter((name) => /^13(-\d+)?$/.test(name))
  expect(folders).toHaveLength(2)
  const [own, other] = folders.map(shownIn)
  expect([own!.team, other!.team]).toEqual(['Payments', 'Payments'])
  expect(Math.min(own!.incidents, other!.incidents)).toBeGreaterThan(0)
  expect(before).toBe(own!.incidents)
  // The rows of both link to the list of all teams.
  expect(linksOf(page('team-overview.html'))).toContain('teams/index.html')
}, 300_000)
