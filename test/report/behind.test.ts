import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { behindHtml } from '../../src/render/behind-html.ts'
import { cellsOf } from '../../src/render/cells.ts'
import type { Behind, Block, ReportResult } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { mistakesOf, runReport } from '../../src/report/run.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { hostileTitles, settleHostile } from '../browser/hostile.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'

let reader: Reader
let review: ReportResult
beforeAll(async () => {
  reader = await openReader(await warehouseFile(settleHostile), { settings: defaultSettings })
  review = await runReport('reports/reliability-review.md', reader)
})
afterAll(() => reader.close())

const listOf = ({ behind }: ReportResult, id: string) => behind!.lists.find((list) => list.id === id)

/** What a block's data says of a list: the sum of its column over the rows that lead there. */
function saidBy(block: Block & { kind: 'chart' | 'table' }, column: string, id: string): number {
  const { data, links } = block
  const cells = cellsOf(data)
  return data.rows
    .filter((row) => links!.ids.get(cells.text(row, links!.column)) === id)
    .filter(
      (row) =>
        !data.columns.some(({ name }) => name === 'period') || cells.text(row, 'period') !== 'previous',
    )
    .reduce((sum, row) => sum + (cells.number(row, column) ?? 0), 0)
}

test('a list has as many incidents as the column, row or cell that leads to it', () => {
  const seen = new Set<string>()
  for (const query of ['weekly_severity', 'weekly_team', 'rhythm', 'sources']) {
    const block = review.blocks.find(
      (one): one is Block & { kind: 'chart' | 'table' } =>
        (one.kind === 'chart' || one.kind === 'table') && one.data.name === query && one.links != null,
    )!
    expect(block.links!.ids.size).toBeGreaterThan(0)
    for (const id of new Set(block.links!.ids.values())) {
      // A small multiple adds the period's weeks up, without the one that runs.
      if (query === 'weekly_team') continue
      seen.add(id)
      expect([id, listOf(review, id)!.count]).toEqual([id, saidBy(block, 'incidents', id)])
    }
  }
  expect(seen.size).toBeGreaterThan(20)
})

test('rows that a table does not show have no list', async () => {
  const shown = async (limit: number) => {
    const file = reportFile(
      `\`\`\`sql teams\nselect team_name as team, count(*) as n from scoped_incidents group by all order by n desc, team\n\`\`\`\n\n\`\`\`table\ndata: teams\nincidents: team\nlimit: ${limit}\n\`\`\`\n`,
    )
    return (await runReport(file, reader)).behind!.lists.length
  }
  expect(await shown(2)).toBe(2)
  expect(await shown(100)).toBeGreaterThan(2)
})

test('the file has every incident, and the page the worst and longest of every list', () => {
  const { behind } = review
  const cells = cellsOf(behind!.all)
  const critical = behind!.all.rows.filter(
    (row) => cells.text(row, 'severity') === 'Critical' && cells.text(row, 'period') === 'current',
  )
  const list = listOf(review, 'severity-critical')!
  expect(list.count).toBe(critical.length)
  const lasted = (row: (typeof critical)[number]) => cells.number(row, 'lasted_s') ?? 0
  const longest = critical
    .map(lasted)
    .sort((a, b) => b - a)
    .slice(0, list.first.length)
  expect(list.first.map((index) => Number(behind!.incidents[index]!.lasted)).sort((a, b) => b - a)).toEqual(
    longest,
  )
  const page = toHtml(review)
  for (const one of behind!.lists) expect(page).toContain(` id="${one.id}"`)
  for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) {
    if (id !== '_') expect(page).toContain(` id="${id}"`)
  }
})

test('is of the chosen teams and severities alone', async () => {
  const team = review.behind!.lists.find(({ id }) => id.startsWith('team-'))!.label
  const one = await runReport('reports/reliability-review.md', reader, { team, severity: 'Critical' })
  const cells = cellsOf(one.behind!.all)
  const found = one.behind!.all.rows.map((row) => `${cells.text(row, 'team')} ${cells.text(row, 'severity')}`)
  expect(new Set(found)).toEqual(new Set([`${team} Critical`]))
  expect(one.behind!.all.rows.length).toBeLessThan(review.behind!.all.rows.length)
})

test('text of the service stays text, and only an encrypted address is a link', async () => {
  const page = toHtml(review)
  const section = page.slice(
    page.indexOf('<section class="behind"'),
    page.indexOf('<section class="counted"'),
  )
  expect(section).toContain('&lt;script&gt;')
  expect(section).not.toMatch(/<script|<img|href="(?!https:|#)/)
  expect(section).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]/)
  expect(hostileTitles.length).toBeGreaterThan(5)
  const shown = (url: string) =>
    behindHtml(behindOf(1, { url }), { room: 9_000, csv: null, context }).section.html
  for (const url of [
    'javascript:alert(1)',
    'http://x.invalid',
    'data:text/html,x',
    '//x.invalid',
    'file:///etc',
  ]) {
    expect(shown(url)).not.toContain(url)
  }
  expect(shown('https://x.invalid/a?b&c')).toContain('href="https://x.invalid/a?b&amp;c"')
})

const context = { timezone: 'UTC', year: '2026' }
function behindOf(count: number, changes: Partial<Behind['incidents'][number]> = {}): Behind {
  const incidents = Array.from({ length: count }, (_, index) => ({
    title: `Incident ${index} ${'x'.repeat(300)}`,
    severity: 'Critical',
    startedAt: new Date('2026-11-09T10:00:00Z'),
    lasted: 60 * index,
    isOpen: false,
    holders: 'Ada',
    url: `https://x.invalid/${index}`,
    lists: [index % 60],
    ...changes,
  }))
  return {
    lists: Array.from({ length: Math.min(60, count) }, (_, list) => ({
      id: `team-${list}`,
      label: `Team ${list}`,
      count: 5_000,
      first: incidents.flatMap((_, index) => (index % 60 === list ? [index] : [])).slice(0, 8),
    })),
    incidents,
    all: { columns: [], rows: [] },
    isCut: false,
  }
}

describe('the room that is left on a page', () => {
  test.each([0, 9_000, 20_000, 40_000, 90_000])(
    '%i bytes: is kept, every list gets its share, and says it',
    (room) => {
      const { section, style } = behindHtml(behindOf(480), { room, csv: 'r/all_incidents.csv', context })
      const bytes = Buffer.byteLength(section.html) + style.length
      const rows = section.html.split('<tr class').length - 1
      if (rows > 0) expect(bytes).toBeLessThanOrEqual(room)
      const said = [...section.html.matchAll(/<i>(\d+) of <\/i>5\u202f000/g)].map(([, shown]) =>
        Number(shown),
      )
      expect(said).toHaveLength(60)
      expect(said.reduce((sum, one) => sum + one)).toBe(rows)
      expect(Math.max(...said) - Math.min(...said)).toBeLessThanOrEqual(1)
      if (room === 90_000) expect(rows).toBeGreaterThan(200)
    },
  )
})

test('a column that no list can be made of is a mistake', async () => {
  const block = (incidents: string) => `
\`\`\`sql q
select week, count(*) as n from scoped_incidents group by week order by week
\`\`\`
\`\`\`chart
type: columns
title: T
data: q
incidents: ${incidents}
x: week
y: n
\`\`\`
`
  expect(await mistakesOf(reportFile(block('week')), reader)).toEqual([])
  const [missing] = await mistakesOf(reportFile(block('team')), reader)
  expect(missing?.message).toBe('The query "q" has no column "team".')
  const [unknown] = await mistakesOf(reportFile(block('n')), reader)
  expect(unknown?.message).toMatch(/incidents/)
})
