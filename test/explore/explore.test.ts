import { copyFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { explorer } from '../../src/explore/explore.ts'
import { runReport } from '../../src/page/run-report.ts'
import { openReader, publishedAt } from '../support/storage.ts'
import { scratch } from '../support/warehouse.ts'
import { bare, cardsOf, exploring, lineOf, ownWords, sent, unescaped, valuesOf } from './explored.ts'

const { answered, page, rowsOf, warehouse } = exploring()

const severities = ['Critical', 'Warning', 'Info', 'Ok']

/** Ids of the incidents that the list of a page links to, in order. */
const linksOf = (text: string) =>
  [...text.matchAll(/service\.invalid\/incident\/detail\/(\d+)[">]/g)].map(([, id]) => id!)

/** The SQL that a page offers for pasting. */
const sqlOf = (text: string) => unescaped(/<pre><code>(.*?)<\/code><\/pre>/s.exec(text)![1]!)

describe('the incident list of the explorer', () => {
  test('shows each incident on exactly one page', async () => {
    const all = new Set<string>()
    const total = Number(
      cardsOf(await page('period=all'))
        .get('Incidents')!
        .replaceAll(',', ''),
    )
    const last = Math.ceil(total / 100)
    expect(last).toBeGreaterThan(3)
    const queries = Array.from({ length: last }, (_, index) => `period=all&page=${index + 1}`)
    for (const query of queries) {
      for (const id of linksOf(await page(query))) {
        expect(all, `page of ${query}`).not.toContain(id)
        all.add(id)
      }
    }
    // Incidents with an unsafe address are listed without a link.
    expect(all.size).toBeGreaterThan(total * 0.85)
    const { status, text } = await answered(`/explore?period=all&page=${last + 1}`)
    expect([status, text]).toEqual([404, expect.stringContaining(`The list has ${last} pages.`)])
  })

  test('is sorted by severity, then newest first, as in CSV and SQL', async () => {
    const query = 'period=2026-10&title=latency'
    const text = await page(query)
    const { text: csv } = await answered(`/explore/incidents.csv?${query}`)
    const rows = await rowsOf(sqlOf(text))
    const lines = csv.split('\r\n').slice(1, -1)
    expect(lines.map((line) => line.split(',')[1])).toEqual(rows.map((row) => row[1]))
    expect(linksOf(text)).toEqual(rows.flatMap((row) => /detail\/(\d+)$/.exec(String(row.at(-1)))?.[1] ?? []))
    const order = rows.map((row) => [severities.indexOf(String(row[4])), -Number(row[8])] as const)
    expect(order).toEqual(order.toSorted(([a, from], [b, to]) => a - b || from - to))
    expect(new Set(rows.map((row) => row[4])).size).toBeGreaterThan(2)
  })

  test('offers all filtered incidents as CSV, and as SQL for `faultline sql`', async () => {
    const [, alert = ''] = /[?;]alert=([^"&]+)/.exec(await page('period=all&by=alert')) ?? []
    expect(alert).not.toBe('')
    for (const query of [
      'severity=Critical&period=all',
      `alert=${alert}&period=all`,
      'team=platform&title="quotes" %26',
      'person=1.2&period=all',
    ]) {
      const text = await page(query)
      const csv = await answered(`/explore/incidents.csv?${query}`)
      const rows = csv.text.split('\r\n').slice(1, -1)
      const total = Number(cardsOf(text).get('Incidents'))
      expect(total).toBeGreaterThan(0)
      expect(rows).toHaveLength(total)
      const pasted = await rowsOf(sqlOf(text))
      expect(pasted.map((row) => row.slice(0, 3).join(','))).toEqual(
        rows.map((row) => row.split(',').slice(0, 3).join(',')),
      )
    }
  })

  test('shows hostile titles as text and links only to HTTPS', async () => {
    const text = await page('period=all&title=<script>')
    expect(text).toContain('&lt;script&gt;alert(')
    expect(text).not.toMatch(/<script|javascript:alert\(1\)"|\u001b|\u202e|style="|\son\w+=/)
    const csv = await answered('/explore/incidents.csv?period=all&title=HYPERLINK')
    expect(csv.text).toContain(`"'=HYPERLINK(""http`)
  })
})

describe('the list of people in the explorer', () => {
  test('is sorted by the number of received alerts (pages) and shows no durations', async () => {
    const text = await page('person=1.2&period=all')
    expect([...cardsOf(text).keys()]).toEqual(['Incidents', 'Open'])
    expect(text).not.toMatch(/<th[^>]*>(Duration|Time to)|Within target|Is this a real change/)
    const csv = await answered('/explore/incidents.csv?person=1.2&period=all')
    expect(csv.text.split('\r\n')[0]).not.toMatch(/tta|lasted|resolve/)
    const pages = [
      ...text.matchAll(/person=1\.\d[^"]*"[^>]*>[^<]+<\/a><td class="num">\d+<td class="num">(\d+)/g),
    ].map(([, count]) => Number(count))
    expect(pages.length).toBeGreaterThan(3)
    expect(pages).toEqual(pages.toSorted((a, b) => b - a))
  })

  test('shows counts that match independent SQL', async () => {
    const rows = await rowsOf(`
      select m.member_name, count(distinct r.incident_id)::int,
        (select count(*)::int from page_starts() p join incident_times i using (incident_id)
          where p.person_id = r.person_id and i.incident_severity = 'Critical'),
        (select count(*)::int from page_starts() p join incident_times i using (incident_id)
          where p.person_id = r.person_id and i.incident_severity = 'Critical' and p.band = 'sleep'),
        count(distinct r.incident_id) filter (i.is_open)::int
      from incident_responders r
      join incident_times i using (incident_id)
      join members m on m.member_id = r.person_id
      where i.incident_severity = 'Critical'
      group by m.member_name, r.person_id order by 1`)
    const text = await page('severity=Critical&period=all')
    const cells = [
      ...text.matchAll(
        /person=[^"]*">([^<]+)<\/a><td class="num">(\d+)<td class="num">(\d+)<td class="num">(\d+)<td class="num">(\d+)/g,
      ),
    ]
    expect(cells.map(([, name, ...counts]) => [name, ...counts.map(Number)]).sort()).toEqual(rows.sort())
  })
})

describe('the change assessment of the explorer', () => {
  const change = (query: string) => answered(`/explore/change?${query}`)

  test('covers only the filtered incidents', {
    timeout: 180_000,
  }, async () => {
    const query = 'severity=Critical&severity=Warning&title=o'
    const { status, text } = await change(query)
    expect(status, text.slice(-600)).toBe(200)
    const [shown, judged] = [cardsOf(await page(query)), cardsOf(text)]
    for (const label of ['Incidents', 'Time to acknowledge', 'Time to resolve'])
      expect(judged.get(label), label).toBe(shown.get(label))
    for (const label of ['Incidents', 'Time to acknowledge'])
      expect(lineOf(text, label, 'move')).toContain(lineOf(await page(query), label, 'move'))
    expect(lineOf(text, 'Incidents', 'move')).toMatch(/previously\d/)
    expect(text).toContain('Time to close (survival curve)')
    expect(text).toContain('Severity: Critical, Warning; Title: o')
  })

  test('is omitted for a single person or without a previous period', async () => {
    for (const query of ['person=1.2', 'period=all']) expect((await change(query)).status).toBe(400)
    expect(await page('period=all')).not.toContain('Is this a real change?')
  })
})

test('the explorer lists the same definitions of figures as a report', async () => {
  const terms = [...(await page('')).matchAll(/<dt>([^<]*)<\/dt><dd>/g)].map(([, term]) => term!)
  const expected = [
    'Incident',
    'Muted',
    'Time to acknowledge',
    'Time to resolve',
    'Severity',
    'Interval',
    'Hours',
    'As of',
  ]
  expect(terms).toEqual(expect.arrayContaining(expected))
  expect(terms).toEqual([...new Set(terms)])
  const reader = await openReader(warehouse(), { settings: ownWords })
  const { counted } = await runReport('reports/mtta-mttr.md', reader)
  reader.close()
  const inReport = counted.rules.map(({ term }) => term)
  expect(terms.filter((term) => inReport.includes(term))).toEqual(
    inReport.filter((term) => terms.includes(term)),
  )
})

test('each facet of the explorer counts only incidents that match all other facets', async () => {
  const both = await page('team=platform&severity=Critical&period=all')
  const [team, severity] = [
    await page('team=platform&period=all'),
    await page('severity=Critical&period=all'),
  ]
  expect(valuesOf(both, 'Severity')).toEqual(valuesOf(team, 'Severity'))
  expect(valuesOf(both, 'Team')).toEqual(valuesOf(severity, 'Team'))
  expect(valuesOf(both, 'Team').get('platform')).toBe(Number(cardsOf(both).get('Incidents')))
  expect(both).toContain(
    'href="/explore?team=platform&amp;period=all" aria-label="Remove filter: Severity: Critical"',
  )
  expect(valuesOf(both, 'Service').size).toBeGreaterThan(3)
})

test('a page of the explorer links to the previous and the next period', async () => {
  const text = await page('period=2026-09')
  expect(text).toContain('September 2026')
  expect(text).toContain('href="/explore?period=2026-08-01..2026-09-01" aria-label="Previous period"')
  expect(text).toContain('href="/explore?period=2026-10-01..2026-11-01" aria-label="Next period"')
  expect(text).toContain('href="/explore?period=2026-09-07"')
  expect(await page('period=this month')).not.toContain('Next period')
})

test('the explorer shows newly published data without a restart', async () => {
  const folder = scratch()
  const path = join(folder, 'warehouse.duckdb')
  copyFileSync(warehouse(), path)
  const own = explorer({ warehouse: publishedAt(path), settings: ownWords, timezone: undefined })
  const incidents = async () => cardsOf((await sent(own, '/explore?period=all')).text).get('Incidents')
  const before = await incidents()
  const next = join(folder, 'next.duckdb')
  copyFileSync(warehouse(), next)
  const instance = await DuckDBInstance.create(next)
  const connection = await instance.connect()
  await connection.run("delete from incidents where incident_severity <> 'Critical'")
  connection.closeSync()
  instance.closeSync()
  renameSync(next, path)
  const after = await incidents()
  expect(Number(after)).toBeLessThan(Number(before) / 4)
  own.close()
})

test('the explorer shows the command to run if no data is published', async () => {
  const own = explorer({
    warehouse: publishedAt(join(tmpdir(), 'none', 'x.duckdb')),
    settings: ownWords,
    timezone: undefined,
  })
  const { status, text } = await sent(own, '/explore')
  expect([status, bare(text)]).toEqual([404, expect.stringContaining('faultlinesync')])
  own.close()
})
