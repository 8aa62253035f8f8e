import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { contextOf, format, plain } from '../../src/render/format.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { toCsv } from '../../src/render/to-csv.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toJson } from '../../src/render/to-json.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { listReports } from '../../src/report/list.ts'
import { runReport } from '../../src/report/run.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { settleUci498, uci498, warehouseFile } from '../support/warehouse.ts'
import { inhabit, settleCompany } from '../support/world.ts'

/**
 * Both sides of a card follow one rule: wherever a figure stands beside the one of the period before and the change between
 * them, value / before - 1 is the change (of shares value - before), to the last digit that is written.
 */
const DAY = 86_400
const end = Date.UTC(2026, 10, 2) / 1000
const asOf = end + 12 * 3_600
const eight = '2026-09-07..2026-11-02'

interface Kind {
  minutes: readonly [before: number, now: number]
  /** Of a hundred how many never close, and how many take 0 s. */
  open: readonly [before: number, now: number]
  zeros: number
}

/** Five a day over sixteen weeks. */
function world({ minutes, open, zeros }: Kind) {
  const incidents = Array.from({ length: 560 }, (_, place) => {
    const side = place < 280 ? 0 : 1
    const start_time = end - 112 * DAY + Math.floor(place / 5) * DAY + ((place * 7_919) % DAY)
    const spread = (place * 37) % 100 < zeros ? 0 : 0.4 + ((place * 53) % 100) / 40
    const close_time = start_time + Math.round(60 * minutes[side]! * spread)
    const ack_time = start_time + Math.round(minutes[side]! * spread)
    const isOpen = (place * 61) % 100 < open[side]! || close_time > asOf
    return {
      incident_id: `i${String(place).padStart(4, '0')}`,
      incident_severity: ['Critical', 'Warning', 'Info', 'Info'][(place * 13) % 4],
      start_time,
      ack_time: place % 7 === 0 || ack_time > asOf ? 0 : ack_time,
      ...{ close_time: isOpen ? 0 : close_time, progress: isOpen ? 'Triggered' : 'Closed' },
      ...{ closer_id: isOpen ? 0 : place % 5 === 0 ? 0 : 7, creator_id: 0, alert_cnt: 1 },
      end_time: place % 5 === 0 && !isOpen ? close_time : 0,
      ever_muted: place % 29 === 0,
      channel_id: 1,
      updated_at: start_time,
    }
  })
  const window = { resource: 'incidents', state: 'done', window_start: end - 200 * DAY, window_end: asOf }
  return (connection: Parameters<typeof inhabit>[0]) =>
    inhabit(connection, {
      incidents,
      responders: incidents.map(({ incident_id, start_time }, place) => ({
        ...{ incident_id, ordinal: 0, person_id: 1 + (place % 3), assigned_at: start_time + 20 },
      })),
      channels: [{ channel_id: 1, channel_name: 'one', team_id: 2 }],
      teams: [{ team_id: 2, team_name: 'two' }],
      runs: [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }],
      windows: [{ run_id: 1, ...window }],
    })
}

const worlds: [string, Parameters<typeof warehouseFile>[0], string][] = [
  ['few open', world({ minutes: [40, 90], open: [2, 3], zeros: 0 }), eight],
  ['many open', world({ minutes: [157, 178], open: [8, 17], zeros: 0 }), eight],
  ['many more open before', world({ minutes: [300, 200], open: [40, 5], zeros: 0 }), eight],
  ['many of 0 s', world({ minutes: [60, 45], open: [5, 12], zeros: 40 }), eight],
  ['most of 0 s', world({ minutes: [60, 60], open: [1, 1], zeros: 70 }), eight],
  ['much that lasts weeks', world({ minutes: [20_000, 50_000], open: [0, 0], zeros: 0 }), eight],
  ['a company', settleCompany, '2026-08-31..2026-10-26'],
]
if (uci498 !== null) worlds.push(['the real incidents', settleUci498, '2016-04-25..2016-05-23'])
const names = listReports('reports').map(({ name }) => name)

describe.each(worlds)('with %s', (_, fill, period) => {
  const results: ReportResult[] = []
  let reader: Reader
  beforeAll(async () => {
    reader = await openReader(await warehouseFile(fill), { settings: defaultSettings })
    for (const name of names)
      results.push(await runReport(`reports/${name}.md`, reader, { period, timezone: 'UTC', lists: false }))
  }, 300_000)
  afterAll(() => reader.close())

  /** The rows of verdicts.csv by their names. */
  const verdicts = (result: ReportResult) =>
    result.verdicts.rows.map((row) =>
      Object.fromEntries(result.verdicts.columns.map(({ name }, place) => [name, row[place]])),
    )

  test('value / before - 1 is the change of every figure, and the change lies in its interval', () => {
    let compared = 0
    for (const result of results)
      for (const row of verdicts(result)) {
        const [value, before, change] = [row.value, row.before, row.change].map(Number) as [
          number,
          number,
          number,
        ]
        if (row.change === null || before === 0) continue
        const due = row.measure === 'share' ? value - before : value / before - 1
        expect([result.name, row.figure, change]).toEqual([result.name, row.figure, expect.closeTo(due, 9)])
        if (row.change_low !== null && row.change_high !== null) {
          expect(change).toBeGreaterThanOrEqual(Number(row.change_low) - 1e-9)
          expect(change).toBeLessThanOrEqual(Number(row.change_high) + 1e-9)
        }
        if (/^(possibly )?(slower|more|higher)$/.test(String(row.verdict)))
          expect(value).toBeGreaterThan(before)
        if (/^(possibly )?(faster|fewer|lower)$/.test(String(row.verdict))) expect(value).toBeLessThan(before)
        compared++
      }
    expect(compared).toBeGreaterThan(8)
  })

  test('page, JSON, terminal and mail say the same before as verdicts.csv, and nothing else', () => {
    const flat = (text: string) => text.replace(/[\u00a0\u202f\u2060]/g, ' ')
    let said = 0
    for (const result of results) {
      const page = flat(toHtml(result))
      const terminal = flat(toTerminal(result, { width: 400, color: false })).split('\n')
      const mail = flat(toMail(result, null).html)
      const { kpis } = JSON.parse(toJson(result)) as { kpis: ReportResult['kpis'] }
      const csv = toCsv(result.verdicts)
      for (const row of verdicts(result)) {
        const card = kpis.find(({ label }) => label === row.label)
        if (!card?.change?.previous) continue
        expect(csv).toContain(String(row.before))
        const as = { duration: 'duration', share: 'percent', count: 'number' } as const
        const shown = format(Number(row.before), as[row.measure as keyof typeof as], contextOf(result.frame))
        const before = flat(plain(shown))
        expect([row.label, flat(plain(card.change.previous))]).toEqual([row.label, before])
        const own = page.slice(page.indexOf(`<div class="kpi"><dt>${row.label}</dt>`)).split('</div>')[0]!
        expect(own.replace(/<[^>]+>/g, ''), String(row.label)).toContain(`before ${before}`)
        const line = terminal.find((each) => each.startsWith(String(row.label).padEnd(26)))
        expect(line, String(row.label)).toContain(`before ${before}`)
        expect(mail.slice(mail.indexOf(`>${row.label}</td>`)).split('</tr>')[0], String(row.label)).toContain(
          before,
        )
        said++
      }
    }
    expect(said).toBeGreaterThan(8)
  })

  test('no trend is said where its interval holds none, and a trend where it does not', () => {
    const { columns, rows } = results
      .find(({ name }) => name === 'severity-trend')!
      .queries.find(({ name }) => name === 'trend_table')!
    const at = (column: string) => columns.findIndex(({ name }) => name === column)
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) {
      const verdict = String(row[at('verdict')])
      if (verdict.startsWith('too ')) continue
      const [low, high] = [Number(row[at('low')]), Number(row[at('high')])]
      const way = low > 0 ? 'rising' : high < 0 ? 'falling' : 'no trend'
      expect([row[at('severity')], verdict.replace('possibly ', '')]).toEqual([row[at('severity')], way])
    }
  })

  test('findings.csv too says value, before and their ratio', () => {
    for (const { findings, name } of results) {
      if (!findings) continue
      const at = (column: string) => findings.columns.findIndex((each) => each.name === column)
      for (const row of findings.rows) {
        const [value, before, estimate] = ['value', 'before', 'estimate'].map((column) => row[at(column)])
        if (row[at('kind')] !== 'shift' || estimate === null || !Number(before)) continue
        const isRate =
          row[at('topic')] !== 'cards' && row[at('topic')] !== 'acknowledge' && row[at('topic')] !== 'resolve'
        if (isRate) continue
        expect([name, row[at('subject')], Number(value) / Number(before)]).toEqual([
          name,
          row[at('subject')],
          expect.closeTo(Number(estimate), 9),
        ])
      }
    }
  })
})
