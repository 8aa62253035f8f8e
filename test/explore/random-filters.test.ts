import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Explorer } from '../../src/explore/explore.ts'
import { format, plain } from '../../src/render/format.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { seeded } from '../support/random.ts'
import { openReader } from '../support/storage.ts'
import { bare, cardsOf, exploredCompany, lineOf, ownWords, sent, valuesOf } from './explored.ts'

let explored: Explorer
let reader: Reader
beforeAll(async () => {
  const made = await exploredCompany()
  explored = made.explored
  reader = await openReader(made.warehouse, { settings: ownWords })
})
afterAll(() => {
  explored.close()
  reader.close()
})

/** A condition as a URL parameter and as independent SQL. */
type Condition = readonly [name: string, value: string, sql: string]

const local = "(start_time at time zone 'Europe/Berlin')"
const text = (value: string) => `'${value.replaceAll("'", "''")}'`
const hour = `extract(hour from ${local})`
const isWorkday = `strftime(${local}, '%u')::int <= 5`

const ofFacets: Record<string, readonly Condition[]> = {
  severity: ['Critical', 'Warning', 'Info', 'Ok'].map((one) => [
    'severity',
    one,
    `incident_severity = ${text(one)}`,
  ]),
  team: ['platform', 'payments', 'search'].map((one) => ['team', one, `team_name = ${text(one)}`]),
  channel: ['checkout', 'identity'].map((one) => ['channel', one, `channel_name = ${text(one)}`]),
  service: ['search-index', 'ci-runners', 'k8s-prod-eu'].map((one) => [
    'dimension.service',
    one,
    `title like ${text(`${one}:%`)}`,
  ]),
  state: [
    ['state', 'open, not acknowledged', "progress <> 'Closed' and ack_time is null"],
    ['state', 'open, acknowledged', "progress <> 'Closed' and ack_time is not null"],
    ['state', 'closed, acknowledged', "progress = 'Closed' and ack_time is not null"],
  ],
  band: [
    ['band', 'sleep', `(${hour} >= 23 or ${hour} < 8)`],
    ['band', 'work', `(${isWorkday} and ${hour} between 8 and 18)`],
    ['band', 'off', `not (${hour} >= 23 or ${hour} < 8) and not (${isWorkday} and ${hour} between 8 and 18)`],
  ],
  weekday: ['1', '3', '6', '7'].map((one) => ['weekday', one, `strftime(${local}, '%u') = '${one}'`]),
}

const periods: readonly Condition[] = [
  ['period', 'all', 'true'],
  ['period', '13 weeks', `${local} >= '2026-07-27' and ${local} < '2026-10-26'`],
  ['period', '13 weeks to now', `${local} >= '2026-07-27'`],
  ['period', '2026-09', `strftime(${local}, '%Y-%m') = '2026-09'`],
  ['period', 'this month', `strftime(${local}, '%Y-%m') = '2026-11'`],
  ['period', 'this quarter', `${local} >= '2026-10-01'`],
  ['period', '2026-08-10..2026-08-12', `${local}::date in ('2026-08-10', '2026-08-11')`],
]
const titles: readonly Condition[] = [
  ['title', 'POOL', "title ilike '%pool%'"],
  ['title', `"quotes" & <script>alert('x')`, `position('"quotes" & <script>alert(''x'')' in title) > 0`],
  ['title', '%', "position('%' in title) > 0"],
]

/** Draws random conditions, with one or several per facet. */
function drawn(next: () => number): {
  query: URLSearchParams
  conditions: Map<string, readonly Condition[]>
} {
  const pick = <Item>(all: readonly Item[]) => all[Math.floor(next() * all.length)]!
  const conditions = new Map<string, readonly Condition[]>([['period', [pick(periods)]]])
  for (const [name, all] of Object.entries(ofFacets))
    if (next() < 0.3) conditions.set(name, [...new Set([pick(all), pick(all)])])
  if (next() < 0.15) conditions.set('title', [pick(titles)])
  const words = [...conditions.values()].flat().map(([name, value]) => [name, value] as [string, string])
  return { query: new URLSearchParams(words), conditions }
}

const sqlOf = (conditions: ReadonlyMap<string, readonly Condition[]>, without = '') =>
  [...conditions]
    .filter(([name]) => name !== without)
    .map(([, any]) => `(${any.map(([, , sql]) => `(${sql})`).join(' or ')})`)
    .join(' and ')

/** Median of the closed incidents if less than a tenth is open, otherwise the Kaplan-Meier median. */
function resolved(rows: readonly { seconds: number; isOpen: boolean }[]): number | null {
  const closed = rows.filter(({ isOpen }) => !isOpen).map(({ seconds }) => seconds)
  const open = rows.length - closed.length
  if (open > 0 && 10 * open >= rows.length) {
    let share = 1
    for (const at of [...new Set(closed)].sort((a, b) => a - b)) {
      const left = rows.filter(({ seconds }) => seconds >= at).length
      share *= 1 - closed.filter((one) => one === at).length / left
      if (share <= 0.5 + 1e-12) return at
    }
    return null
  }
  const sorted = closed.sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return sorted.length === 0 ? null : (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

const partsOf = (seconds: number | null) => format(seconds, 'duration', { timezone: 'UTC', year: '' })
const duration = (seconds: number | null) => plain(partsOf(seconds)).replace(/[\s\u00a0\u202f]/g, '')

const COUNT = inject('isLarge') ? 200 : 30

test('the counts and medians of the explorer match independent SQL for random filters', {
  timeout: 480_000,
}, async () => {
  const next = seeded(30)
  let empty = 0
  let bySurvival = 0
  let histories = 0
  for (let index = 0; index < COUNT; index++) {
    const { query, conditions } = drawn(next)
    const where = sqlOf(conditions)
    const { text: page, status } = await sent(explored, `/explore?${query}`)
    expect(status, `${query}`).toBe(200)
    const counted = await reader.query(`
      select count(*), count(*) filter (progress <> 'Closed'),
        median(epoch(ack_time) - epoch(start_time)) filter (not ever_muted and ack_time >= start_time),
        count(*) filter (not ever_muted and ack_time >= start_time)
      from incident_times where ${where}`)
    const handled = await reader.query(`
      select epoch(if(progress = 'Closed', close_time, as_of_at)) - epoch(start_time), progress <> 'Closed'
      from incident_times
      where not ever_muted and (progress <> 'Closed' or ack_time is not null or closer_id <> 0) and ${where}`)
    const times = handled.rows.map(([seconds, isOpen]) => ({
      seconds: Number(seconds),
      isOpen: isOpen === true,
    }))
    const [incidents, open, tta, answered] = counted.rows[0]!
    if (Number(incidents) === 0) empty++
    if (times.filter(({ isOpen }) => isOpen).length * 10 >= times.length && times.length > 0) bySurvival++
    expect(Object.fromEntries(cardsOf(page)), `${query}`).toEqual({
      Incidents: String(incidents),
      'Time to acknowledge': duration(tta === null ? null : Number(tta)),
      'Time to resolve': duration(resolved(times)),
      Open: String(open),
    })
    expect(lineOf(page, 'Time to acknowledge', 'basis'), `${query}`).toBe(`(n=${answered})`)
    const severities = await reader.query(
      `select incident_severity, count(*)::int from incident_times where ${sqlOf(conditions, 'severity')} group by all`,
    )
    const shown = [...valuesOf(page, 'Severity')].filter(([, count]) => count > 0).sort()
    expect(shown, `${query}`).toEqual(severities.rows.sort())
    const [, buckets] =
      /<table class="data"><thead><tr><th[^>]*>(?:day|week|month)<.*?<tbody>(.*?)<\/tbody>/s.exec(page) ?? []
    if (buckets === undefined) continue
    histories++
    const counts = buckets.split('<tr>').flatMap((row) =>
      row
        .split(/<td[^>]*>/)
        .slice(2)
        .map(bare),
    )
    expect(
      counts.reduce((sum, count) => sum + Number(count.replace(/\D/g, '')), 0),
      `${query}`,
    ).toBe(Number(incidents))
  }
  // The random filters must cover empty results, survival medians and charts.
  expect(empty).toBeLessThan(COUNT / 2)
  expect(bySurvival).toBeGreaterThan(COUNT / 100)
  expect(histories).toBeGreaterThan(COUNT / 2)
})
