import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { besideEvent, countsBeside, durationsBeside } from '../sql/reference-event-sides.ts'
import { eventCounts, eventTimes } from '../sql/reference-events.ts'
import { metricsIn } from '../sql/reference-macros.ts'
import { reference } from '../sql/reference-metrics.ts'
import { asConfigured, automation, ownMeasures } from '../sql/reference-own-words.ts'
import { knownSince } from '../sql/reference-time-changes.ts'
import { referenceTimes } from '../sql/reference-times.ts'
import { differences } from '../sql/same-rows.ts'
import { withFilled } from '../sql/served-world.ts'
import { AS_OF, allKeysWorld, reporting, TIMEZONE } from '../support/all-keys-world.ts'
import { plainRows } from '../support/plain-rows.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit, type World } from '../support/world.ts'

/** Compares a world that uses every key of src/config/custom-definitions.md with an independent computation without SQL. */
const { raw, filled } = withFilled(allKeysWorld() as unknown as World)
const counted = asConfigured(filled, reporting, TIMEZONE)

let reader: Reader
beforeAll(async () => {
  const path = await warehouseFile((connection) => inhabit(connection, raw))
  reader = await openReader(path, { settings: raw.settings })
})
afterAll(() => reader.close())

const asked = async (sql: string) => plainRows(await reader.query(sql))

const DAY = 86_400
const ids = new Set<unknown>(referenceTimes(counted).map(({ row }) => row.incident_id))
const [from, to] = [AS_OF - 91 * DAY, AS_OF - DAY]
const ofCounted = 'semi join incident_times using (account_id, incident_id)'

describe('with all configuration keys combined,', () => {
  test('92% of the incidents are excluded, and a few hundred are included', () => {
    const { length } = referenceTimes(counted)
    expect([length > 300, length / raw.incidents.length < 0.08]).toEqual([true, true])
  })

  test.each(['incident_times', 'incident_labels', 'open_incidents'])(
    '%s matches an independent computation',
    async (name) => {
      expect(differences(await asked(`from ${name}`), reference[name]!(counted))).toEqual([])
    },
  )

  test.each(['incident_changes', 'incident_response', 'assignment_outcomes', 'first_answers'])(
    '%s matches an independent computation for included incidents',
    async (name) => {
      const due = reference[name]!(counted).filter(({ incident_id }) => ids.has(incident_id))
      expect(differences(await asked(`from ${name} ${ofCounted}`), due)).toEqual([])
    },
  )

  test.each(Object.entries(metricsIn(from, to, 'America/New_York')))(
    '%s matches an independent computation',
    async (call, compute) => {
      const source = call.replace('{of}', "of_incidents := 'incident_times'")
      expect(differences(await asked(`from ${source}`), compute(counted))).toEqual([])
    },
  )

  test('custom measures match an independent computation', async () => {
    const rows = await asked('select * exclude (account_id) from incident_measures')
    expect(differences(rows, ownMeasures(counted, reporting, TIMEZONE))).toEqual([])
  })

  test('automation figures match an independent computation', async () => {
    const span = `started_from := to_timestamp(${from}), started_to := to_timestamp(${to})`
    const due = automation(filled, counted, { from, to })
    expect(due.some(({ handed, resolved }) => Number(handed) > 5 && Number(resolved) > 5)).toBe(true)
    expect(differences(await asked(`from automation(${span})`), due)).toEqual([])
  })

  test('dimensions, corrections and data quality match an independent computation', async () => {
    const rows = await asked('select incident_id, dimensions, corrected from incident_times')
    const corrected = new Map<string, string[]>()
    for (const { incident_id, field } of raw.settings.corrections)
      corrected.set(incident_id, [...(corrected.get(incident_id) ?? []), field].sort())
    const known = new Map(counted.incidents.map((row) => [row.incident_id, row]))
    for (const { incident_id, dimensions, corrected: fields } of rows) {
      expect(dimensions).toEqual(known.get(String(incident_id))!.dimensions)
      expect(fields).toEqual(corrected.get(String(incident_id)) ?? null)
    }
    const measures = ownMeasures(counted, reporting, TIMEZONE)
    const told = {
      corrected: rows.filter(({ corrected }) => corrected !== null).length,
      wrong_measure: measures.filter(({ is_wrong }) => is_wrong).length,
    }
    expect(Math.min(...Object.values(told))).toBeGreaterThan(3)
    // These checks cover all stored incidents.
    const ofAll = ['deleted', 'vanished', 'merged_away', 'wrong_measure', 'corrected']
    const due = reference.data_quality!(counted).filter(
      ({ check_name }) => !ofAll.includes(String(check_name)),
    )
    const quality = await asked('from data_quality')
    const found = quality.filter(({ check_name }) => due.some((one) => one.check_name === check_name))
    expect(differences(found, due)).toEqual([])
    for (const [name, affected] of Object.entries(told))
      expect(quality.find(({ check_name }) => check_name === name)).toMatchObject({ affected })
  })

  describe('the change since an event', () => {
    const near = (is: unknown, due: number | null, by: number) =>
      // The independent computation uses NaN for an unknown end of an interval.
      due === null || Number.isNaN(due)
        ? is === null
        : Number(is) === due || Math.abs(Number(is) - due) <= by * Math.max(0.1, Math.abs(due))
    test.each(reporting.events)('matches an independent computation: $name', async ({ name }) => {
      const options = { name, timezone: TIMEZONE, covered: knownSince(filled)! }
      const sides = besideEvent(counted, reporting.events, options)
      const rows = await asked(`from event_changes('${name}')`)
      const of = (measure: string) => rows.find((row) => row.measure === measure)!
      for (const measure of ['time_to_ack', 'time_to_resolve'] as const) {
        const row = of(measure)
        const due = eventTimes(durationsBeside(sides.placed, `${measure}_s`))
        expect(row).toMatchObject({
          ...{ n: due.n, n_before: due.n_before, value: due.value, value_before: due.value_before },
          has_control: due.has_control,
        })
        for (const column of ['ratio', 'ratio_low', 'ratio_high'] as const)
          expect([column, near(row[column], due[column], 1e-6)]).toEqual([column, true])
        expect([near(row.p, due.shift_p, 1e-4), near(row.step_p, due.step_p, 1e-4)]).toEqual([true, true])
      }
      const counts = countsBeside(sides)
      const hits = (some: typeof counts) => some.reduce((sum, [, touched]) => sum + touched, 0)
      expect(of('incidents_a_week')).toMatchObject({
        n: hits(counts.filter(([week]) => week >= 0)),
        n_before: hits(counts.filter(([week]) => week < 0 && week >= -sides.length)),
      })
      if (!of('incidents_a_week').has_control) return
      const due = eventCounts(counts)
      expect(near(of('incidents_a_week').ratio, due.ratio, 1e-6)).toBe(true)
      expect(near(of('incidents_a_week').p, due.shift_p, 1e-4)).toBe(true)
    })

    test('is a decrease for the team whose times were halved by the new rota', async () => {
      const [row] = await asked("from event_changes('new rota') where measure = 'time_to_resolve'")
      expect(Number(row!.ratio)).toBeLessThan(0.8)
    })
  })
})
