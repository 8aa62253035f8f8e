import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { targetAttainment } from '../sql/reference-acknowledgement.ts'
import { isIn, type Rows, started } from '../sql/reference-groups.ts'
import { asConfigured, automation, leftOut } from '../sql/reference-own-words.ts'
import { recurrence } from '../sql/reference-recurrence.ts'
import { referenceTimes } from '../sql/reference-times.ts'
import { incidentHours, learning, selfHeal, textCompleteness, timeBetween } from '../sql/reference-volume.ts'
import { differences } from '../sql/same-rows.ts'
import { withFilled } from '../sql/served-world.ts'
import { dayOf, midnight } from '../sql/wall-clock.ts'
import { allKeysWorld, reporting, TIMEZONE } from '../support/all-keys-world.ts'
import { plainRows } from '../support/plain-rows.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit, type World } from '../support/world.ts'

/** Compares the review of a world that uses every key of src/config/custom-definitions.md with an independent computation. */
const { raw, filled } = withFilled(allKeysWorld() as unknown as World)
const counted = asConfigured(filled, reporting, TIMEZONE)
const at = (day: string) => midnight(dayOf(day), TIMEZONE)
const current = { from: at('2026-08-03'), to: at('2026-11-02') }

let review: ReportResult
let reader: Reader
beforeAll(async () => {
  const path = await warehouseFile((connection) => inhabit(connection, raw))
  reader = await openReader(path, { settings: raw.settings })
  review = await runReport('reports/reliability-review.md', reader, {
    defaultTimezone: TIMEZONE,
    lists: false,
  })
})
afterAll(() => reader.close())

const rowsIn = (name: string): Rows => plainRows(review.queries.find((query) => query.name === name)!)

/** The rows of a table for all teams, one for each severity. */
const bySeverity = (rows: Rows, columns: Record<string, string>) =>
  rows
    .filter((row) => row.team_name === '(all)' && row.incident_severity !== '(all)')
    .map((row) => ({
      severity: row.incident_severity,
      ...Object.fromEntries(Object.entries(columns).map(([name, from]) => [name, row[from]])),
    }))

test('the reliability review shows the number of incidents that each rule excludes', () => {
  const { funnel } = review.counted
  const named = funnel.flatMap(({ exclusion, count }) => (exclusion ? [{ exclusion, count }] : []))
  expect(named).toEqual(leftOut(filled, reporting, current))
  const all = started(referenceTimes(counted), current)
  const read = filled.incidents.filter(({ incident_id, start_time }) => {
    const moved = raw.settings.corrections.find(
      (one) => one.incident_id === incident_id && one.field === 'start_time',
    )
    return isIn(moved ? Date.parse(moved.value) / 1000 : start_time, current)
  })
  const count = new Map(funnel.map((step) => [step.label, step.count]))
  expect(count.get('included')).toBe(all.length)
  expect(count.get('records in the period')).toBe(read.length)
  expect(count.get('excluded: deleted')).toBe(read.filter(({ deleted_at }) => deleted_at).length)
  expect(count.get('excluded: other team or severity')).toBe(0)
  expect(count.get('of which still open: no time to resolve yet')).toBe(all.filter(({ open }) => open).length)
  expect(count.get('invalid times excluded: acknowledged before it started')).toBe(
    all.filter(({ times }) => times.is_negative_ack).length,
  )
})

describe('the reliability review', () => {
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
    }))
    expect(differences(rowsIn('targets'), due)).toEqual([])
  })

  test('shows the work done by automation', () => {
    const all = automation(filled, counted, current)
    const due = all
      .filter(({ team_name, incident_severity }) => team_name === '(all)' && incident_severity !== '(all)')
      .map(({ incident_severity, team_name: _team, ...row }) => ({ severity: incident_severity, ...row }))
    expect(differences(rowsIn('automation'), due)).toEqual([])
  })

  test('shows incidents and their self-healed share by channel', () => {
    const due = [...new Set(started(referenceTimes(counted), current).map(({ channel }) => channel))].map(
      (channel) => {
        const own = started(referenceTimes(counted), current).filter((one) => one.channel === channel)
        const healed = own.filter(({ times }) => times.is_self_healed).length
        return { channel, incidents: own.length, self_healed: healed / own.length, self_healed_n: own.length }
      },
    )
    expect(due.length).toBeGreaterThan(30)
    expect(differences(rowsIn('sources'), due)).toEqual([])
  })

  test('shows recurrence, concurrency and time between incidents', () => {
    const repeats = bySeverity(recurrence(counted, current), {
      incidents: 'incidents',
      repeats: 'repeats',
      repeat_share: 'repeat_share',
      with_key: 'with_key',
    })
    expect(differences(rowsIn('repeats'), repeats)).toEqual([])
    const open = bySeverity(incidentHours(counted, hours), {
      mean_concurrency: 'mean_concurrency',
      peak_concurrency: 'peak_concurrency',
      peak_at: 'peak_at',
    })
    expect(differences(rowsIn('hours'), open)).toEqual([])
    const between = bySeverity(timeBetween(counted, hours), {
      incidents: 'incidents',
      between_s: 'mean_between_s',
    })
    expect(
      differences(
        rowsIn('between').filter(({ severity }) => severity !== null),
        between,
      ),
    ).toEqual([])
  })

  test('shows post-mortem coverage, text completeness and self-healing', () => {
    const isCritical = ({ incident_severity, team_name }: Rows[number]) =>
      incident_severity === 'Critical' && team_name === '(all)'
    const learned = learning(counted, current).filter(isCritical)
    expect(
      differences(
        rowsIn('learning'),
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
        rowsIn('written'),
        written.map(({ incidents, complete_share }) => ({ incidents, complete: complete_share })),
      ),
    ).toEqual([])
    const [healed] = selfHeal(counted, current).filter(
      ({ incident_severity, team_name }) => incident_severity === '(all)' && team_name === '(all)',
    )
    const [now] = rowsIn('more').filter(({ period }) => period === 'current')
    expect([now!.self_healed_n, now!.self_healed]).toEqual([healed!.incidents, healed!.self_heal_rate])
  })
})
