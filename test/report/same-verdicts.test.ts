import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
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
const worlds: [string, () => Promise<string>, { from: string; to: string }, boolean][] = [
  [
    'a world that got worse',
    () => warehouseFile(changed({ a_day: 3, minutes: 30 }, { a_day: 9, minutes: 120 })),
    eight,
    true,
  ],
  [
    'a world that got better',
    () => warehouseFile(changed({ a_day: 8, minutes: 90 }, { a_day: 3, minutes: 20 })),
    eight,
    !inject('isFast'),
  ],
  ['a company', () => warehouseFile(settleCompany), { from: '2026-08-31', to: '2026-10-26' }, true],
  [
    'the real incidents',
    () => warehouseFile(settleUci498),
    { from: '2016-04-25', to: '2016-05-23' },
    uci498 !== null && !inject('isFast'),
  ],
]

const severe = `incident_severity in ('Critical', 'Warning')`
/** What each card of the default reports counts, of the incidents `mine` that started in either period. */
const counts: Record<string, string> = {
  Incidents: 'true',
  'Severe incidents': severe,
  'Critical and Warning': severe,
  'Critical incidents': `incident_severity = 'Critical'`,
  Critical: `incident_severity = 'Critical'`,
  Warning: `incident_severity = 'Warning'`,
  Info: `incident_severity = 'Info'`,
}
const durations: Record<string, string> = {
  'Time to acknowledge': 'time_to_ack',
  'Time to resolve': 'time_to_close_handled',
  'Resolve, all closed': 'time_to_close',
}
const shares: Record<string, [hits: string, of: string]> = {
  Acknowledged: ['coalesce(is_acknowledged and time_to_ack_s <= watched_s, false)', 'not is_muted'],
  'Outside working hours': [`hour_band(start_time at time zone 'UTC') <> 'work'`, 'true'],
  'Share of Critical': [`incident_severity = 'Critical'`, 'true'],
}

/** One query for all of them, which knows nothing of reports: rows of `label`, `verdict` and the interval of the change. */
function sqlOf(from: string, to: string): string {
  const at = (day: string) => `timestamptz '${day} 00:00:00+00'`
  const [start, end] = [at(from), at(to)]
  const before = `(${start} - (${end} - ${start}))`
  const placed = (column: string) =>
    `${column} >= ${start} as is_now, if(is_now, week_of_period(${column}, ${start}, ${end}), week_of_period(${column}, ${before}, ${start})) as place`
  const union = (parts: readonly string[]) => parts.join(' union all ')
  const changes = (name: string, of: string) =>
    `${name} as (from time_changes(period_from := ${start}, period_to := ${end}, of_incidents := '${of}')
      where incident_severity = '(all)' and team_name = '(all)')`
  return `with mine as materialized (
      select *, ${placed('start_time')},
        epoch(as_of_at) - epoch(start_time) - if(is_now, 0, epoch(${end}) - epoch(${start})) as watched_s
      from incident_times where start_time >= ${before} and start_time < ${end}),
    severe as (from mine where ${severe}),
    ${changes('changes', 'mine')}, ${changes('severe_changes', 'severe')},
    times as (${union([
      ...Object.entries(durations).map(
        ([label, measure]) => `select '${label}' as label, * from changes where measure = '${measure}'`,
      ),
      `select 'Severe: Time to resolve', * from severe_changes where measure = 'time_to_close_handled'`,
    ])}),
    events as (${union([
      ...Object.entries(counts).map(
        ([label, which]) => `select '${label}' as label, is_now, place from mine where ${which}`,
      ),
      `select 'Calls at night', ${placed('paged_at')}
       from page_starts(period_from := ${before}, period_to := ${end}) where band = 'sleep'`,
    ])}),
    days as (select epoch(${end} - ${start}) / 86400 as days),
    weeks as (
      select label, is_now, n as week_n, sum(n) over (partition by label, is_now) as n from (
        select labels.label, sides.is_now, places.place, count(events.label) as n
        from (values ${[...Object.keys(counts), 'Calls at night'].map((label) => `('${label}')`).join(', ')}) as labels (label)
        cross join (values (true), (false)) as sides (is_now)
        cross join range(0, (select (days / 7)::bigint from days)) as places (place)
        left join events using (label, is_now, place)
        group by all)),
    earlier as (
      select *, floor((epoch(${before}) - epoch(start_time) - 1e-6) / 604800) as place
      from incident_times where start_time < ${before} and start_time >= ${before} - interval 84 day),
    earlier_events as (${union(
      Object.entries(counts).map(
        ([label, which]) => `select '${label}' as label, place from earlier where ${which}`,
      ),
    )}),
    known as (
      select least(12, floor((epoch(${before}) - epoch(coalesce(
        (select min(window_start) from sync_windows where resource = 'incidents' and state = 'done'), (select min(start_time) from incident_times)
      ))) / 604800)) as weeks),
    earlier_weeks as (
      select label, list({'n': n, 'days': 7e0}) as weeks from (
        select labels.label, places.place, count(events.label) as n
        from (values ${Object.keys(counts)
          .map((label) => `('${label}')`)
          .join(', ')}) as labels (label)
        cross join range(0, greatest(0, (select weeks from known))::bigint) as places (place)
        left join earlier_events as events using (label, place)
        group by all)
      group by label having sum(n) > 0),
    sides as (
      select label, is_now, any_value(n) as n, list({'n': week_n, 'days': 7e0}) as weeks from weeks group by all
      union all
      select label, null, null, weeks from earlier_weeks),
    counted as (
      select label, count_change(
          max(n) filter (is_now), any_value(days), max(n) filter (not is_now), any_value(days), count_dispersion(list(weeks))
        ) as c
      from sides cross join days group by label),
    targets as (from incident_targets(of_incidents := 'severe') join mine using (account_id, incident_id)),
    trials as (${union([
      ...Object.entries(shares).map(
        ([label, [hits, of]]) =>
          `select '${label}' as label, is_now, place, ${hits} as hit from mine where ${of}`,
      ),
      `select 'Acknowledged in time', is_now, place, coalesce(ack_outcome = 'met' and time_to_ack_s <= watched_s, false)
       from targets
       where ack_outcome is not null and (watched_s > ack_target_s or coalesce(time_to_ack_s <= watched_s, false))`,
    ])}),
    parts as (
      select label, is_now, sum(hits) as hits, sum(n) as n, list({'hits': hits, 'n': n}) as weeks from (
        select label, is_now, place, count(*) filter (hit) as hits, count(*) as n from trials group by all)
      group by all),
    shares as (
      select label, share_change(
          max(hits) filter (is_now), max(n) filter (is_now), max(hits) filter (not is_now), max(n) filter (not is_now),
          share_dispersion(list(weeks))
        ) as c
      from parts group by label)
    select label, verdict, ratio_low - 1 as low, ratio_high - 1 as high from times
    union all
    select label, coalesce(c.verdict, 'about the same'), c.low - 1, c.high - 1
    from counted
    union all
    select label, c.verdict, c.low, c.high
    from shares`
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

describe.each(worlds.filter(([, , , isThere]) => isThere))('of %s', (_, make, { from, to }) => {
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
  }, 120_000)

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
  }, 60_000)
})
