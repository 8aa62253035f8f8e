import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { filesFor, unreadMoments } from '../../src/definitions/custom-definitions-sql.ts'
import { asOf, DAY, HOUR, happening, start } from './small-company.ts'

const { connection, happen, insert, rows, settings } = happening()

const given = settingsOf(
  readConfig(
    JSON.stringify({
      reporting: {
        workingHours: { office: { from: 9, to: 17 } },
        measures: {
          mitigate: { from: 'start_time', to: 'fields.mitigated_at', title: 'Time to mitigate' },
          react: { from: 'fields.detected_at', to: 'first_answer', title: 'Reaction' },
          fix: { from: 'ack_time', to: 'close_time', title: 'Fix', workingHours: 'office' },
          learn: { from: 'close_time', to: 'first_post_mortem', title: 'Learn' },
        },
      },
    }),
    'c.json',
  ).data.reporting,
)

/** Applies the configuration and its view `own_incidents`. */
async function configured() {
  await settings(given)
  const own = (await filesFor(connection(), given)).find(({ name }) => name === 'own_incidents')!
  await connection().run(`create or replace view own_incidents as ${own.body}`)
}

interface Case {
  ack: number | null
  close: number | null
  detected: number | null
  mitigated: number | null
  answer: number | null
  written: number | null
  /** Format of the custom field. */
  kind: 'iso' | 'seconds' | 'milliseconds'
}
const gap = fc.option(fc.integer({ min: -HOUR, max: 3 * DAY }), { freq: 3 })
const drawn: fc.Arbitrary<Case> = fc.record({
  ack: gap,
  close: gap,
  detected: gap,
  mitigated: gap,
  answer: gap,
  written: gap,
  kind: fc.constantFrom('iso', 'seconds', 'milliseconds'),
})
const begin = start + 9 * HOUR

/** Seconds between 9 and 17 h UTC on weekdays. */
function worked(from: number, to: number): number {
  let sum = 0
  for (let day = Math.floor(from / DAY) * DAY; day < to; day += DAY) {
    if ([0, 6].includes(new Date(day * 1000).getUTCDay())) continue
    sum += Math.max(0, Math.min(to, day + 17 * HOUR) - Math.max(from, day + 9 * HOUR))
  }
  return sum
}

/** Second computation of every measure of an incident, without SQL. */
function measured({ ack, close, detected, mitigated, answer, written }: Case) {
  const isOpen = close === null
  const span = (from: number | null, to: number | null, count = (a: number, b: number) => b - a) => {
    if (from === null || (to === null && !isOpen)) return null
    const until = asOf - begin
    const counted = (end: number) => count(begin + from, begin + end)
    return {
      seconds: to === null || to < from ? null : counted(to),
      open_s: to === null ? counted(until) : null,
      is_wrong: to !== null && to < from,
    }
  }
  return {
    mitigate: span(0, mitigated),
    react: span(detected, answer),
    fix: span(ack, close, worked),
    learn: span(close, written),
  }
}

const field = (moment: number | null, kind: Case['kind']) => {
  if (moment === null) return {}
  const at = begin + moment
  return { seconds: at, milliseconds: at * 1000, iso: new Date(at * 1000).toISOString() }[kind]
}

test('measures equal a second computation, including missing and negative times', async () => {
  await configured()
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 20, maxLength: 20 }), async (cases) => {
      await happen(
        cases.map(({ ack, close, detected, mitigated, kind }, place) => ({
          post_mortem_id: `p${place}`,
          start_time: begin,
          ...(ack === null ? {} : { ack_time: begin + ack }),
          ...(close === null ? {} : { close_time: begin + close }),
          fields: {
            ...(detected === null ? {} : { detected_at: field(detected, 'iso') }),
            ...(mitigated === null ? { mitigated_at: '' } : { mitigated_at: field(mitigated, kind) }),
          },
        })),
      )
      await insert(
        'incident_responders',
        cases.flatMap(({ answer }, place) =>
          answer === null
            ? []
            : [
                {
                  incident_id: `i${place}`,
                  ordinal: 0,
                  person_id: 7,
                  assigned_at: begin,
                  acknowledged_at: begin + answer,
                },
              ],
        ),
      )
      await insert(
        'post_mortems',
        cases.flatMap(({ written }, place) =>
          written === null ? [] : [{ post_mortem_id: `p${place}`, created_at: begin + written }],
        ),
      )
      const found = await rows(
        'select incident_id, measure, seconds, open_s, is_wrong from incident_measures order by incident_id, measure',
      )
      const wanted = cases.flatMap((one, place) =>
        Object.entries(measured(one)).flatMap(([measure, told]) =>
          told ? [{ incident_id: `i${place}`, measure, ...told }] : [],
        ),
      )
      const order = (one: { incident_id?: unknown; measure?: unknown }) => `${one.incident_id} ${one.measure}`
      expect(found.toSorted((a, b) => order(a).localeCompare(order(b)))).toEqual(
        wanted.toSorted((a, b) => order(a).localeCompare(order(b))),
      )
    }),
    { numRuns: 15, seed: 29 },
  )
})

describe('a custom field as a time', () => {
  test('is ignored with a warning if invalid', async () => {
    await configured()
    await happen([{ close_time: start + 1, fields: { mitigated_at: 'yesterday' } }])
    expect(await rows("from incident_measures where measure = 'mitigate'")).toEqual([])
    expect(await unreadMoments(connection(), given)).toEqual([
      expect.stringMatching(
        /mitigate: fields\.mitigated_at is no time in some incidents \(1\), such as "yesterday"/,
      ),
    ])
  })

  test.each([
    ['1970-01-02T00:10Z', 87_000],
    ['1970-01-02 01:10+01:00', 87_000],
    ['1970-01-02T01:10+01', 87_000],
    ['1970-01-02T00:10', 87_000],
    ['1970-01-02T00:10:05Z', 87_005],
  ])('may have the format %s', async (mitigated_at, at) => {
    await configured()
    await happen([{ start_time: 86_400, close_time: 90_000, fields: { mitigated_at } }])
    expect(await rows("select seconds from incident_measures where measure = 'mitigate'")).toEqual([
      { seconds: at - 86_400 },
    ])
    expect(await unreadMoments(connection(), given)).toEqual([])
  })
})
