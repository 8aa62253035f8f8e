import { DuckDBInstance } from '@duckdb/node-api'
import stringWidth from 'string-width'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'
import { toCsv } from '../../src/render/to-csv.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

const names = listReports('reports').map(({ name }) => name)
const most = 250_000

/** A copy of the company's warehouse on which the statements were run. */
async function changed(statements: string): Promise<string> {
  const path = await warehouseFile(settleCompany)
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  await connection.run(statements)
  connection.closeSync()
  instance.closeSync()
  return path
}

const nothing = 'delete from incidents; delete from incident_responders'
/** Leaves one Critical incident from three weeks ago that people acknowledged and closed. */
const one = `delete from incidents where incident_id <> (
  select max(incident_id) from incident_times
  where incident_severity = 'Critical' and is_handled_by_people and is_acknowledged and not is_muted
    and start_time between as_of_at - interval 35 day and as_of_at - interval 21 day)`
const open = `update incidents set progress = 'Triggered', ack_time = null, close_time = null, end_time = null, closer_id = 0`

const warehouses: [string, () => Promise<string>][] = [
  ['a company', () => warehouseFile(settleCompany)],
  ['no incident', () => changed(nothing)],
  ['one incident', () => changed(one)],
  ['only open incidents', () => changed(open)],
]

describe.each(warehouses)('with %s in the warehouse,', (of, make) => {
  let reader: Reader
  const results = new Map<string, ReportResult>()
  beforeAll(async () => {
    reader = await openReader(await make())
    const sessions = pooled(reader)
    for (const name of names) results.set(name, await runReport(`reports/${name}.md`, sessions))
  }, 300_000)
  afterAll(() => reader?.close())

  test.each(names)('the report %s fits terminals of 60 and 100 columns', (name) => {
    for (const width of [60, 100]) {
      const lines = toTerminal(results.get(name)!, { width, color: false }).split('\n')
      expect(lines.filter((line) => stringWidth(line) > width)).toEqual([])
    }
  })

  test.each(names)('the report %s has a column is_partial in every CSV file by week or month', (name) => {
    const overTime = results
      .get(name)!
      .queries.filter(({ columns }) => columns.some((column) => /^(week|month)$/.test(column.name)))
    for (const { name: query, columns } of overTime)
      expect([query, columns.some((column) => column.name === 'is_partial')]).toEqual([query, true])
  })

  test.each(names)('the report %s states the unit in the name of every duration column in CSV', (name) => {
    const headers = results.get(name)!.queries.map((query) => toCsv({ ...query, rows: [] }))
    const columns = headers.flatMap((header) => header.trimEnd().split(','))
    expect(
      columns.filter((column) =>
        /^(?!team_mean$)(.*_)?(tta|ttr|median|mean|p10|p25|p75|p90|age|lasted|longest|lag|effort|after)$/.test(
          column,
        ),
      ),
    ).toEqual([])
  })

  test.each(names)('the report %s has at most four sentences and 200 characters in each subtitle', (name) => {
    const { blocks } = results.get(name)!
    const said = blocks.flatMap((block) => ('subtitle' in block ? [inlineText(block.subtitle)] : []))
    const sentences = (text: string) => text.split(/[.!?]\s+(?=\p{Lu})/u)
    expect(said.filter((text) => sentences(text).length > 4 || text.length > 200)).toEqual([])
  })

  test.each(names)('the report %s ends with its methodology and stays below 250 kB', (name) => {
    const result = results.get(name)!
    const page = toHtml(result)
    const text = page.replace(/<style>.*?<\/style>/s, '').replace(/<[^>]+>/g, '\n')
    const written = [
      text,
      toTerminal(result, { width: 100, color: false }),
      ...result.queries.map((query) => toCsv(query)),
    ]
    for (const each of written) expect(each).not.toMatch(/\bNaN\b|Infinity|undefined|\[object/)
    expect(page).not.toMatch(/(width|height|r)="-/)
    expect(Buffer.byteLength(page)).toBeLessThan(most)
    expect(result.verdict).not.toBe('')

    const end = page.slice(page.indexOf('<section class="counted">'))
    expect(end).toContain('From records read to incidents included')
    for (const { term } of result.counted.rules) expect(end).toContain(`<dt>${term}</dt>`)
    for (const { name: query } of result.queries) expect(end).toContain(`${query}.csv</summary>`)
    expect(end.match(/<pre>/g)).toHaveLength(result.queries.length)
    expect(/No (new )?incidents in this period/.test(page)).toBe(result.empty)
  })

  test('the on-call handover does not compare its figures with a previous period', () => {
    const { verdict, kpis } = results.get('on-call-handover')!
    expect(verdict).not.toContain('usual ')
    expect(kpis.map(({ change }) => change?.previous ?? null)).toEqual(kpis.map(() => null))
  })

  test('the report reliability-review defines the words of its tables', () => {
    const rules = new Map(
      results.get('reliability-review')!.counted.rules.map(({ term, text }) => [term, text]),
    )
    expect(rules.get('Severity')).toContain('High-severity is Critical or Warning.')
    expect(rules.get('Target')).toContain('An open incident is missed once it is older than its target.')
    expect(rules.get('Alert')).toContain('titles differ only in numbers and ids')
    expect(rules.get('Pages')).toContain('in the time zone of the person')
  })

  test.each(names)('the report %s shows no direction of change without a previous value', (name) => {
    const { kpis, empty } = results.get(name)!
    // A card with a median needs 8 incidents, and the report on times has only such cards.
    const hasCards = name !== 'team-overview' && !(name === 'mtta-mttr' && of === 'one incident')
    expect([name, kpis.length > 0]).toEqual([name, hasCards])
    for (const { change, interval, n } of kpis) {
      if (change && change.direction !== 'none') expect(change.previous).not.toBeNull()
      if (interval && n !== null) expect(n).toBeGreaterThanOrEqual(1)
    }
    if (of === 'no incident') expect(empty).toBe(true)
    if (of === 'no incident' || of === 'one incident') {
      expect(kpis.map(({ change }) => change?.direction ?? 'none')).toEqual(kpis.map(() => 'none'))
    }
    if (of === 'a company') expect(empty).toBe(false)
    if (of === 'a company' && name === 'executive-summary') {
      expect(
        kpis.find(({ label }) => label === 'High-severity acknowledged within target')!.target,
      ).toBeNull()
    }
  })
})
