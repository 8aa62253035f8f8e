import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../support/cli.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'
import { settleCompany } from '../../support/world.ts'

/** Names of the company's teams 11 to 16, some of them similar and two equal. */
const names = ['Data Platform', 'Data-Platform', 'Payments', 'payments', 'OPS', 'OPS']
/** The names of these teams in reports. */
const shown = ['Data Platform', 'Data-Platform', 'Payments', 'payments', 'OPS (15)', 'OPS (16)']

let warehouse: string
const folder = scratch()
const out = join(folder, 'out')
const page = (...path: string[]) => readFileSync(join(out, ...path), 'utf8')

/** The team that a team page names, and the number of incidents in its CSV file. */
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
  test('have separate pages, named by team id, with only their own incidents', async () => {
    await make('--teams')
    const own = names.map((_, index) => `${11 + index}`)
    expect(own.map((id) => shownIn(id).team)).toEqual(shown)
    const counts = own.map((id) => shownIn(id).incidents)
    expect(new Set(counts).size).toBe(names.length)
    const links = new Set(linksOf(page('team-overview.html')).filter((link) => link.startsWith('teams/')))
    expect([...links].sort()).toEqual(own.map((id) => `teams/${id}/index.html`))
    expect(linksOf(page('index.html'))).toEqual(expect.arrayContaining([...links]))
  }, 300_000)

  test('can be selected with `--team` by the label that reports show', async () => {
    await make('--team', 'OPS (16)')
    expect(shownIn('16').team).toBe('OPS (16)')
    const { err, code } = await run(['report', 'severity-trend', '--team', 'OPS'], {}, folder)
    expect(code).toBe(2)
    expect(err).toContain('OPS (15)')
  }, 300_000)
})
