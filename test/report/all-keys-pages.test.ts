import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReportResult } from '../../src/render/result.ts'
import { runReport } from '../../src/report/run.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { targetAttainment } from '../sql/reference-acknowledgement.ts'
import { timeMeasures } from '../sql/reference-durations.ts'
import { isIn, type Rows, started } from '../sql/reference-groups.ts'
import { asConfigured, automation, leftOut } from '../sql/reference-own-words.ts'
import { recurrence } from '../sql/reference-recurrence.ts'
import { personLoad } from '../sql/reference-response.ts'
import { referenceTimes } from '../sql/reference-times.ts'
import { incidentHours, learning, selfHeal, textCompleteness, timeBetween } from '../sql/reference-volume.ts'
import { differences } from '../sql/same-rows.ts'
import { withFilled } from '../sql/served-world.ts'
import { allKeysWorld, reporting, TIMEZONE } from '../support/all-keys-world.ts'
import { plainRows } from '../support/plain-rows.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit, type World } from '../support/world.ts'
import { current, only, previous, told } from './all-keys-cards.ts'

/** Compares pages of a world with every key of src/config/custom-definitions.md with a second computation. */
const { raw, filled } = withFilled(allKeysWorld() as unknown as World)
const counted = asConfigured(filled, reporting, TIMEZONE)
/** The relations of a page start with the previous period. */
const scoped = only(counted, ({ start_time }) => start_time >= previous.from)

const pages: Record<string, ReportResult> = {}
let reader: Reader
beforeAll(async () => {
  const path = await warehouseFile((connection) => inhabit(connection, raw))
  reader = await openReader(path, { settings: raw.settings })
  const options = { defaultTimezone: TIMEZONE, lists: false }
  for (const name of ['reliability-review', 'mtta-mttr', 'team-overview'])
    pages[name] = await runReport(`reports/${name}.md`, reader, options)
  const dimensions = { service: ['checkout'] }
  pages.checkout = await runReport('reports/mtta-mttr.md', reader, { ...options, dimensions })
})
afterAll(() => reader.close())

/** The rows of a query of a page. */
const rowsIn = (page: string, name: string): Rows =>
  plainRows(pages[page]!.queries.find((query) => query.name === name)!)

/** The rows of a table for all teams, one for each severity. */
const bySeverity = (rows: Rows, columns: Record<string, string>) =>
  rows
    .filter((row) => row.team_name === '(all)' && row.incident_severity !== '(all)')
    .map((row) => ({
      severity: row.incident_severity,
      ...Object.fromEntries(Object.entries(columns).map(([name, from]) => [name, row[from]])),
    }))

const half = (name: string) => ({
  [`${name}_n`]: 'n',
  [name]: 'median_s',
  [`${name}_low`]: 'median_low_s',
  [`${name}_high`]: 'median_high_s',
  [`${name}_p90`]: 'p90_s',
})

const funnelOf = (page: string) =>
  new Map(pages[page]!.counted.funnel.map(({ label, count }) => [label, count]))

describe('every page', () => {
  test.each(['reliability-review', 'mtta-mttr', 'team-overview'])('%s counts exclusions', (page) => {
    const { funnel } = pages[page]!.counted
    const named = funnel.flatMap(({ exclusion, count }) => (exclusion ? [{ exclusion, count }] : []))
    expect(named).toEqual(leftOut(filled, reporting, current))
    const all = started(referenceTimes(counted), current)
    const read = filled.incidents.filter(({ incident_id, start_time }) => {
      const moved = raw.settings.corrections.find(
        (one) => one.incident_id === incident_id && one.field === 'start_time',
      )
      return isIn(moved ? Date.parse(moved.value) / 1000 : start_time, current)
    })
    const count = funnelOf(page)
    expect(count.get('included')).toBe(all.length)
    expect(count.get('records in the period')).toBe(read.length)
    expect(count.get('excluded: deleted')).toBe(read.filter(({ deleted_at }) => deleted_at).length)
    expect(count.get('excluded: other team or severity')).toBe(0)
    expect(count.get('of which still open: no time to resolve yet')).toBe(
      all.filter(({ open }) => open).length,
    )
    expect(count.get('invalid times excluded: acknowledged before it started')).toBe(
      all.filter(({ times }) => times.is_negative_ack).length,
    )
  })

  test.each(['reliability-review', 'mtta-mttr'])('%s has the figures of its cards', (page) => {
    const rows = rowsIn(page, 'summary')
    expect(differences(rows, told(rows, counted))).toEqual([])
  })

  test('names the same definitions as the others', () => {
    const keys = Object.values(pages).map(({ counted: { rules } }) => rules.at(-1)?.text)
    expect(new Set(keys).size).toBe(1)
  })
})

describe('the review', () => {
  const page = 'reliability-review'
  const hours = { from: current.from, to: current.to }

  test('shows the share of met targets by severity', () => {
    const rows = targetAttainment(counted, current).filter(
      ({ team_name, incident_severity }) => team_name === '(all)' && incident_severity !== '(all)',
    )
    const due = rows.map((row) => ({
      severity: row.incident_severity,
      measure: `${row.measure}${row.is_in_hours ? ', working hours' : ''}`,
      target: row.target_s,
      decided: Number(row.met) + Number(row.missed),
      missed: row.missed,
      share: row.share,
      low: row.share_low,
      high: row.share_high,
      goal: row.goal,
      is_default: row.is_default,
    }))
    expect(differences(rowsIn(page, 'targets'), due)).toEqual([])
  })

  test('shows the work of automation', () => {
    const all = automation(filled, counted, current)
    const due = all
      .filter(({ team_name, incident_severity }) => team_name === '(all)' && incident_severity !== '(all)')
      .map(({ incident_severity, team_name: _team, ...row }) => ({ severity: incident_severity, ...row }))
    expect(differences(rowsIn(page, 'automation'), due)).toEqual([])
  })

  test('shows the load of people, without automation', () => {
    const due = personLoad(scoped, current).map((row) => ({
      person: row.member_name,
      team: row.team_name,
      pages: row.pages,
      team_mean: row.team_mean,
      sleep: row.sleep_pages,
      overloads: row.overloads,
      unanswered: row.unanswered,
      open: row.open_s,
      engaged: row.effort_s,
      cost: row.cost,
      person_id: row.person_id,
    }))
    expect(due.length).toBe(12)
    expect(differences(rowsIn(page, 'people'), due)).toEqual([])
  })

  test('counts incidents and self-healing by channel', () => {
    const due = [...new Set(started(referenceTimes(counted), current).map(({ channel }) => channel))].map(
      (channel) => {
        const own = started(referenceTimes(counted), current).filter((one) => one.channel === channel)
        const healed = own.filter(({ times }) => times.is_self_healed).length
        return { channel, incidents: own.length, self_healed: healed / own.length, self_healed_n: own.length }
      },
    )
    expect(due.length).toBeGreaterThan(30)
    expect(differences(rowsIn(page, 'sources'), due)).toEqual([])
  })

  test('shows recurrence, concurrency and time between incidents', () => {
    const repeats = bySeverity(recurrence(counted, current), {
      incidents: 'incidents',
      repeats: 'repeats',
      repeat_share: 'repeat_share',
      with_key: 'with_key',
    })
    expect(differences(rowsIn(page, 'repeats'), repeats)).toEqual([])
    const open = bySeverity(incidentHours(scoped, hours), {
      mean_concurrency: 'mean_concurrency',
      peak_concurrency: 'peak_concurrency',
      peak_at: 'peak_at',
    })
    expect(differences(rowsIn(page, 'hours'), open)).toEqual([])
    const between = bySeverity(timeBetween(counted, hours), {
      incidents: 'incidents',
      between_s: 'mean_between_s',
    })
    expect(
      differences(
        rowsIn(page, 'between').filter(({ severity }) => severity !== null),
        between,
      ),
    ).toEqual([])
  })

  test('shows learning, completeness of texts and self-healing', () => {
    const isCritical = ({ incident_severity, team_name }: Rows[number]) =>
      incident_severity === 'Critical' && team_name === '(all)'
    const learned = learning(counted, current).filter(isCritical)
    expect(
      differences(
        rowsIn(page, 'learning'),
        learned.map(({ closed, coverage, lag_median_s, lag_n }) => ({
          closed,
          coverage,
          lag: lag_median_s,
          lag_n,
        })),
      ),
    ).toEqual([])
    const written = textCompleteness(counted, current).filter(isCritical)
    expect(
      differences(
        rowsIn(page, 'written'),
        written.map(({ incidents, complete_share }) => ({ incidents, complete: complete_share })),
      ),
    ).toEqual([])
    const [healed] = selfHeal(counted, current).filter(
      ({ incident_severity, team_name }) => incident_severity === '(all)' && team_name === '(all)',
    )
    const [now] = rowsIn(page, 'more').filter(({ period }) => period === 'current')
    expect([now!.self_healed_n, now!.self_healed]).toEqual([healed!.incidents, healed!.self_heal_rate])
  })
})

describe('times to acknowledge and resolve', () => {
  const measured = (world: World) => timeMeasures(world, started(referenceTimes(world), current))
  const of = (world: World, measure: string) => measured(world).filter((row) => row.measure === measure)

  test.each(['mtta-mttr', 'checkout'])('of %s by severity and team', (page) => {
    const world =
      page === 'checkout' ? only(counted, ({ dimensions }) => dimensions!.service === 'checkout') : counted
    const [ack, resolve] = [of(world, 'time_to_ack'), of(world, 'time_to_close_handled')]
    const acknowledge = bySeverity(ack, half('time_to_acknowledge'))
    expect(differences(rowsIn(page, 'acknowledge_by_severity'), acknowledge)).toEqual([])
    expect(
      differences(rowsIn(page, 'resolve_by_severity'), bySeverity(resolve, half('time_to_resolve'))),
    ).toEqual([])
    const teams = new Map(
      ack.filter((row) => row.incident_severity === '(all)').map((row) => [row.team_name, row]),
    )
    const all = started(referenceTimes(world), current)
    for (const row of rowsIn(page, 'by_team')) {
      const due = teams.get(row.team)
      expect([row.team, row.incidents, row.time_to_acknowledge]).toEqual([
        row.team,
        all.filter(({ team }) => team === row.team).length,
        due?.median_s ?? null,
      ])
    }
  })

  test('have no limit if the targets of a severity differ or count working hours', () => {
    for (const [table, metric] of [
      ['acknowledge_by_severity', 'time_to_acknowledge'],
      ['resolve_by_severity', 'time_to_resolve'],
    ] as const) {
      const limits = rowsIn('mtta-mttr', table).map((row) => row[`${metric}_limit`])
      expect(limits).toEqual([null, null, null, null])
    }
  })

  test('of one service cover only its incidents, in cards and exclusions', () => {
    const isOwn = ({ dimensions }: World['incidents'][number]) => dimensions!.service === 'checkout'
    const own = only(counted, isOwn)
    const rows = rowsIn('checkout', 'summary')
    expect(differences(rows, told(rows, own))).toEqual([])
    expect(pages.checkout!.frame.dimensions).toBe('service: checkout')
    const named = pages.checkout!.counted.funnel.flatMap(({ exclusion, count }) =>
      exclusion ? [{ exclusion, count }] : [],
    )
    expect(named).toEqual(leftOut(filled, reporting, current, isOwn))
  })
})

test('the page of teams counts incidents in both periods and acknowledgements in time by team', () => {
  const teams = [...new Set(referenceTimes(scoped).map(({ team }) => team))]
  const counts = teams.flatMap((team) =>
    Object.entries({ current, previous }).map(([period, span]) => ({
      ...{ team, period },
      incidents: started(referenceTimes(counted), span).filter((one) => one.team === team).length,
    })),
  )
  expect(differences(rowsIn('team-overview', 'counts'), counts)).toEqual([])
  const goals = targetAttainment(counted, current).filter(
    (row) => row.measure === 'acknowledge' && row.incident_severity === '(all)' && row.team_name !== '(all)',
  )
  const due = goals.map((row) => ({
    ...{ team: row.team_name, in_time: row.share, decided: Number(row.met) + Number(row.missed) },
    ...{ low: row.share_low, high: row.share_high },
  }))
  expect(differences(rowsIn('team-overview', 'goals'), due)).toEqual([])
})
