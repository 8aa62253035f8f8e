import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { toJson } from '../../src/render/to-json.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { listReports } from '../../src/report/list.ts'
import { runReport } from '../../src/report/run.ts'
import { writeReport } from '../../src/report/write.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { run } from '../support/cli.ts'
import { scratch, settleUci498, uci498, warehouseFile } from '../support/warehouse.ts'
import { inhabit, settleCompany } from '../support/world.ts'
import { sqlOf } from './verdicts-again.ts'

/**
 * Issue 15: the page, the CSV file and `faultline sql` give the same verdict for every card. What is compared is what is
 * written: the cards of the HTML file, verdicts.csv, and what the command prints for a query that knows no report.
 */
const names = listReports('reports').map(({ name }) => name)
const DAY = 86_400
const NOW = Date.UTC(2026, 10, 2, 12) / 1000
const monday = Date.UTC(2026, 10, 2) / 1000

/** Sixteen weeks; from the ninth on other numbers and durations, and some nights. */
function changed(before: { a_day: number; minutes: number }, after: { a_day: number; minutes: number }) {
  const incidents: object[] = []
  const responders: object[] = []
  for (let day = -112; day < 0; day++) {
    const { a_day, minutes } = day < -56 ? before : after
    for (let k = 0; k < a_day; k++) {
      const place = incidents.length
      const start_time = monday + day * DAY + ((((k * 7919 + day * 104_729) % DAY) + DAY) % DAY)
      const spread = 0.4 + ((place * 37) % 100) / 60
      const close_time = start_time + Math.round(60 * minutes * spread)
      const isOpen = close_time > NOW || place % 61 === 0
      const incident_id = String(place).padStart(24, '0')
      responders.push({ incident_id, ordinal: 0, person_id: 1 + (place % 3), assigned_at: start_time + 20 })
      incidents.push({
        incident_id,
        start_time,
        ack_time: place % 7 === 0 ? 0 : start_time + Math.round(minutes * spread),
        ...{ close_time: isOpen ? 0 : close_time, progress: isOpen ? 'Triggered' : 'Closed' },
        ...{ closer_id: isOpen ? 0 : 7, creator_id: 0, alert_cnt: place % 53 === 0 ? 0 : 1 },
        ever_muted: place % 29 === 0,
        incident_severity: ['Critical', 'Warning', 'Info', 'Info'][(place * 13) % 4],
        channel_id: 1,
        account_time_zone: 'UTC',
        created_at: start_time,
        updated_at: start_time,
      })
    }
  }
  const window = { resource: 'incidents', state: 'done', window_start: monday - 200 * DAY, window_end: NOW }
  return (connection: Parameters<typeof inhabit>[0]) =>
    inhabit(connection, {
      incidents,
      responders,
      channels: [{ channel_id: 1, channel_name: 'one', team_id: 2 }],
      teams: [{ team_id: 2, team_name: 'two' }],
      runs: [{ run_id: 1, status: 'ok', finished_at: NOW, as_of_at: NOW }],
      windows: [{ run_id: 1, ...window }],
    })
}

const eight = { from: '2026-09-07', to: '2026-11-02' }
const worlds: [string, () => Promise<string>, { from: string; to: string }][] = [
  [
    'a world that got worse',
    () => warehouseFile(changed({ a_day: 3, minutes: 30 }, { a_day: 9, minutes: 120 })),
    eight,
  ],
  [
    'a world that got better',
    () => warehouseFile(changed({ a_day: 8, minutes: 90 }, { a_day: 3, minutes: 20 })),
    eight,
  ],
  ['a company', () => warehouseFile(settleCompany), { from: '2026-08-31', to: '2026-10-26' }],
]
if (uci498 !== null) {
  const span = { from: '2016-04-25', to: '2016-05-23' }
  worlds.push(['the real incidents', () => warehouseFile(settleUci498), span])
}

/** The cards of a page as they are written: label, arrow and colour, or the words of none. */
function cardsOf(html: string) {
  return [...html.matchAll(/<div class="kpi"><dt>(.*?)<\/dt>(.*?)<\/div>/gs)].flatMap(([, label, body]) => {
    const move = /<dd class="move">(.*?)<\/dd>/s.exec(body!)?.[1]
    return move === undefined ? [] : [{ label: label!, move }]
  })
}

/** What a card says by what a verdict is called. */
const isUp = (verdict: string) => ['slower', 'more', 'higher'].includes(verdict)
const isDown = (verdict: string) => ['faster', 'fewer', 'lower'].includes(verdict)
const betterUp = ['Acknowledged', 'Acknowledged in time']

describe.each(worlds)('of %s', (_, make, { from, to }) => {
  const folder = scratch()
  const results = new Map<string, ReportResult>()
  let path: string
  let reader: Reader
  beforeAll(async () => {
    path = await make()
    reader = await openReader(path, { settings: defaultSettings })
    const sessions = pooled(reader)
    for (const name of names) {
      const result = await runReport(`reports/${name}.md`, sessions, {
        period: `${from}..${to}`,
        timezone: 'UTC',
      })
      writeReport(result, folder, ['html', 'csv'])
      results.set(name, result)
    }
    reader.close()
  }, 300_000)

  const csv = (name: string) => {
    const [head = '', ...lines] = readFileSync(join(folder, name, 'verdicts.csv'), 'utf8')
      .trimEnd()
      .split('\r\n')
    const cells = (line: string) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell!.replace(/^"|"$/g, ''))
    const columns = cells(head)
    return lines.map((line) => Object.fromEntries(cells(line).map((cell, place) => [columns[place]!, cell])))
  }

  test('page and CSV say the same of every card', () => {
    let compared = 0
    for (const name of names) {
      const cards = cardsOf(readFileSync(join(folder, `${name}.html`), 'utf8'))
      const written = csv(name)
      for (const { label, move } of cards) {
        const row = written.find((one) => one.label === label)
        expect(row, `${name}: ${label}`).toBeDefined()
        const verdict = row!.verdict!
        compared++
        if (isUp(verdict) || isDown(verdict)) {
          expect(move, `${name}: ${label}`).toContain(isUp(verdict) ? '▲' : '▼')
          expect(move, `${name}: ${label}`).toContain(verdict)
          const isBetter = isUp(verdict) === betterUp.includes(label)
          expect(move, `${name}: ${label}`).toContain(`class="${isBetter ? 'better' : 'worse'}"`)
        } else {
          expect(move, `${name}: ${label}`).not.toMatch(/[▲▼]|better|worse/)
          // What is not compared says so and why, and nothing else.
          if (/compare/.test(verdict)) expect(move, `${name}: ${label}`).toBe(verdict)
          expect(move, `${name}: ${label}`).toContain(verdict)
        }
      }
    }
    expect(compared).toBeGreaterThan(15)
  })

  test('and so do the terminal, the mail and the JSON file', () => {
    for (const name of names) {
      const result = results.get(name)!
      const terminal = toTerminal(result, { width: 400, color: false }).split('\n')
      const mail = toMail(result, null).html
      const { kpis } = JSON.parse(toJson(result)) as { kpis: ReportResult['kpis'] }
      for (const { label, verdict } of csv(name).filter((row) => row.label !== '')) {
        expect([name, label, kpis.find((one) => one.label === label)?.change?.verdict]).toEqual([
          name,
          label,
          verdict,
        ])
        expect(
          terminal.find((line) => line.startsWith(label!.padEnd(26))),
          `${name}: ${label}`,
        ).toContain(verdict)
        const row = mail.slice(mail.indexOf(`>${label}</td>`)).split('</tr>')[0]
        expect(row, `${name}: ${label}`).toContain(verdict)
      }
    }
  })

  test('and so does faultline sql, with the interval of the change', async () => {
    const { out, err, code } = await run(
      ['sql', '--json', sqlOf(from, to)],
      { FAULTLINE_WAREHOUSE: path },
      folder,
    )
    expect(code, err).toBe(0)
    const said = new Map(
      (JSON.parse(out) as Record<string, string | number | null>[]).map((row) => [row.label, row]),
    )
    const rows = names.flatMap((report) => csv(report).map((row) => ({ report, row })))
    for (const { report, row } of rows) {
      // The executive summary speaks of the severe ones alone; what stands in prose only has no label.
      if (row.label === '') continue
      const isSevere = report === 'executive-summary' && row.label === 'Time to resolve'
      const one = said.get(isSevere ? 'Severe: Time to resolve' : row.label!)
      expect([report, row.label, row.verdict]).toEqual([report, row.label, one?.verdict])
      for (const end of ['low', 'high'] as const) {
        const [written, wanted] = [row[`change_${end}`], one![end]]
        if (wanted === null) expect(written).toBe('')
        else expect(Number(written), `${report}: ${row.label}`).toBeCloseTo(Number(wanted), 6)
      }
    }
  }, 300_000)
})
