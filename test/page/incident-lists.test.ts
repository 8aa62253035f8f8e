import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mistakesOf } from '../../src/page/check-report.ts'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import { cellsOf } from '../../src/render/cells.ts'
import { plain } from '../../src/render/format.ts'
import { listPage } from '../../src/render/list-page.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { hostileTitles, settleHostile } from '../browser/hostile.ts'
import { listLinks, mistakesOfLinks } from '../support/list-links.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, scratch, warehouseFile } from '../support/warehouse.ts'

let reader: Reader
let review: ReportResult
let folder: string
beforeAll(async () => {
  folder = scratch()
  reader = await openReader(await warehouseFile(settleHostile), { settings: defaultSettings })
  review = await runReport('reports/reliability-review.md', reader)
})
afterAll(() => {
  reader.close()
})

const small = (sql: string, block: string) =>
  reportFile(`\`\`\`sql q\n${sql}\n\`\`\`\n\n\`\`\`${block}\n\`\`\`\n`)
const BY_SEVERITY = `select incident_severity as severity, count(*) as n, count(ttr) as closed,
  count(*) filter (band <> 'work') as outside
from scoped_incidents where period = 'current' group by all order by all`

describe('the `incidents` key of a block', () => {
  test('links numbers in a table to incident lists of the same length', async () => {
    const file = small(
      BY_SEVERITY,
      `table
data: q
incidents: severity
columns:
  - severity
  - { column: n, incidents: { severity: severity } }
  - { column: closed, incidents: { severity: severity, ttr: known } }
  - { column: outside, incidents: { severity: severity, band: [off, sleep] } }`,
    )
    const { lists, warnings, queries } = await runReport(file, reader)
    expect(warnings).toEqual([])
    const { rows } = queries[0]!
    expect(rows.length).toBeGreaterThan(2)
    const count = (id: string) => lists!.lists.find((list) => list.id === id)?.count ?? 0
    for (const [severity, n, closed, outside] of rows) {
      const of = `severity-${String(severity).toLowerCase()}`
      expect([count(of), count(`${of}_ttr-known`), count(`${of}_band-off-or-sleep`)].map(BigInt)).toEqual([
        n,
        closed,
        outside,
      ])
    }
  })

  test('causes a warning instead of a link if a number differs from the length of its list', async () => {
    const wrong = `table\ndata: q\ncolumns:\n  - severity\n  - { column: closed, incidents: severity }`
    const result = await runReport(small(BY_SEVERITY, wrong), reader)
    expect(result.warnings.join('\n')).toMatch(
      /"q\.closed" is \d+ for Critical · closed, but the list has \d+/,
    )
    const page = toHtml(result, { csv: null, lists: 'q/incidents', isCompact: false, teamPage: () => null })
    const { queries } = result
    const whole = queries[0]!.rows.filter(([, n, closed]) => n === closed)
    expect(listLinks(page)).toHaveLength(whole.length)
  })

  test.each([
    ['{ sverity: severity }', 'Lists of incidents have no column "sverity".', /Did you mean "severity"/],
    [
      '{ severity: severty }',
      '"severty" in `incidents` is neither a column of the query "q" nor a known severity.',
      /"severity"/,
    ],
    [
      '{ ack_outcome: mised }',
      '"mised" in `incidents` is neither a column of the query "q" nor a known ack_outcome.',
      /missed/,
    ],
    ['{ ttr: [low, 60] }', '"low" in `incidents` is not a column of the query "q".', /Available|mean/],
    ['{ of: page }', 'Unknown kind of list "page".', /pages/],
    ['{ where: "no_such_column > 1" }', '`where` or `share` of `incidents` cannot be read', /.?/],
    ['{ share: "no_such_column > 1" }', '`where` or `share` of `incidents` cannot be read', /.?/],
  ])('is rejected if it is %s', async (incidents, message, next) => {
    const file = small(BY_SEVERITY, `table\ndata: q\nincidents: ${incidents}\ncolumns: [severity, n]`)
    const [mistake, ...others] = await mistakesOf(file, reader)
    expect(others).toEqual([])
    expect(mistake?.message).toContain(message)
    expect(mistake?.next ?? '').toMatch(next)
  })

  test('links the value of a card and its previous value to the incidents of their periods', async () => {
    const file = reportFile('```kpi\n- { metric: serious_incidents }\n- { metric: critical_share }\n```\n')
    const { lists, kpis, warnings } = await runReport(file, reader)
    expect(warnings).toEqual([])
    const [count, share] = kpis
    const sizeOf = (id: string | null | undefined) => lists!.lists.find((list) => list.id === id)?.count
    expect(count!.listBefore).not.toBe(count!.link)
    expect(sizeOf(count!.link)).toBe(Number(plain(count!.value)))
    expect(sizeOf(count!.listBefore)).toBe(Number(plain(count!.change!.previous!)))
    expect([typeof share!.link, share!.listBefore]).toEqual(['string', null])
  })

  test('produces lists only for rows that the table shows', async () => {
    const shown = async (limit: number) => {
      const block = `table\ndata: q\nincidents: team\nlimit: ${limit}`
      const sql =
        "select team_name as team, count(*) as n from scoped_incidents where period = 'current' group by all order by n desc, team"
      return (await runReport(small(sql, block), reader)).lists!.lists.length
    }
    expect(await shown(2)).toBe(2)
    expect(await shown(100)).toBeGreaterThan(2)
  })
})

test('an incident list has all incidents of the severity, longest first', () => {
  const all = review.lists!.all.find(({ name }) => name === 'all_incidents')!
  const cells = cellsOf(all)
  const critical = all.rows.filter(
    (row) => cells.text(row, 'severity') === 'Critical' && cells.text(row, 'period') === 'current',
  )
  const list = review.lists!.lists.find(({ id }) => id === 'severity-critical')!
  expect(list.count).toBe(critical.length)
  expect(list.count).toBeGreaterThan(1)
  const longest = critical.map((row) => cells.number(row, 'lasted_s') ?? 0).sort((a, b) => b - a)
  expect(list.first.map(({ seconds }) => Number(seconds.lasted_s))).toEqual(longest.slice(0, 500))
})

test('the CSV file of incidents covers only the selected teams and severities', async () => {
  const team = review.lists!.lists.find(({ id }) => id.startsWith('team-'))!.label.split(' · ')[0]!
  const one = await runReport('reports/severity-trend.md', reader, { team, severity: 'Critical' })
  const all = one.lists!.all[0]!
  const cells = cellsOf(all)
  const found = all.rows.map((row) => `${cells.text(row, 'team')} ${cells.text(row, 'severity')}`)
  expect(new Set(found)).toEqual(new Set([`${team} Critical`]))
})

test('incident lists escape text from the service, and link only to HTTPS addresses', () => {
  const pages = review
    .lists!.lists.map((list) => listPage(list, review, { name: review.name, csv: true }))
    .join('\n')
  expect(pages).toContain('&lt;script&gt;')
  expect(pages).not.toMatch(/<script|<img|href=(?!"?(https:|\.\.\/))/)
  expect(pages).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]/)
  expect(hostileTitles.length).toBeGreaterThan(5)
  const [list] = review.lists!.lists
  const shown = (url: string) =>
    listPage({ ...list!, first: [{ ...list!.first[0]!, url }] }, review, {
      name: review.name,
      csv: false,
    }).replace(/<head>.*<\/head>/s, '')
  for (const url of [
    'javascript:alert(1)',
    'http://x.invalid',
    'data:text/html,x',
    '//x.invalid',
    'file:///etc',
  ])
    expect(shown(url)).not.toContain(url)
  expect(shown('https://x.invalid/a?b&c="d')).toContain('href="https://x.invalid/a?b&amp;c=&quot;d"')
})

describe('the folder of incident lists', () => {
  const at = (...path: string[]) => join(folder, ...path)
  const names = () => readdirSync(at('reliability-review', 'incidents')).sort()
  const write = (result: ReportResult) => writeReport(result, folder, ['html', 'csv'])

  test('contains exactly the files that the report page links to', () => {
    write(review)
    const page = at('reliability-review.html')
    const links = listLinks(readFileSync(page, 'utf8'))
    expect(links.filter(({ said }) => said !== null).length).toBeGreaterThan(50)
    expect(mistakesOfLinks(page)).toEqual([])
    expect(names()).toEqual([...new Set(links.map(({ href }) => href.split('/').at(-1)))].sort())
  })

  test('keeps the previous lists until the new page is written', () => {
    writeFileSync(at('reliability-review', 'incidents', 'week-2020-01-06.html'), 'of before')
    const half = { ...review, lists: { ...review.lists!, lists: review.lists!.lists.slice(0, 3) } }
    const before = names()
    rmSync(at('reliability-review.html'))
    mkdirSync(at('reliability-review.html'))
    expect(() => write(half)).toThrow(/cannot be written/)
    expect(names()).toEqual(before)
    rmSync(at('reliability-review.html'), { recursive: true })
    write(half)
    expect(names().length).toBeLessThan(4)
    expect(mistakesOfLinks(at('reliability-review.html'))).not.toEqual([])
  })

  test('is removed if lists are disabled', async () => {
    write(await runReport('reports/reliability-review.md', reader, { lists: false }))
    expect(existsSync(at('reliability-review', 'incidents'))).toBe(false)
    expect(listLinks(readFileSync(at('reliability-review.html'), 'utf8'))).toEqual([])
  })
})

test('the lead of a report links to an incident, with the title truncated between words', async () => {
  const { blocks } = await runReport('reports/on-call-handover.md', reader)
  const lead = blocks.find((block) => block.kind === 'findings')!
  const link = lead.lines.flatMap(({ text }) => text).find((node) => node.kind === 'link')!
  expect(link.href).toMatch(/^https:\/\/service\.invalid\/incident\/detail\/\d+$/)
  expect(inlineText([link]).length).toBeLessThanOrEqual(92)
  expect(inlineText([link])).not.toMatch(/\S…$/)
  const page = toHtml(await runReport('reports/on-call-handover.md', reader))
  expect(page).toContain(`<a href="${link.href}" rel="noreferrer noopener">`)
})
