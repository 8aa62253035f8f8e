import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { asOf, DAY, HOUR, happening, start } from './small-company.ts'

const { happen, insert, one, rows, settings } = happening()

const configured = (automation: object) =>
  settings(settingsOf(readConfig(JSON.stringify({ reporting: { automation } }), 'c.json').data.reporting))

const BOTS = [8, 9]
/** A random incident, with times in seconds after the start. */
interface Case {
  ack: number | null
  close: number | null
  closer: number
  isRecovered: boolean
  integration: number
  isMuted: boolean
  people: { person: number; ack: number | null }[]
}

const gap = fc.option(fc.integer({ min: -60, max: DAY }), { freq: 2 })
const drawn: fc.Arbitrary<Case> = fc.record({
  ack: gap,
  close: fc.option(fc.integer({ min: 1, max: DAY }), { freq: 3 }),
  closer: fc.constantFrom(0, 7, 8, 9),
  isRecovered: fc.boolean(),
  integration: fc.constantFrom(40, 41),
  isMuted: fc.boolean(),
  people: fc.array(fc.record({ person: fc.constantFrom(6, 7, 8, 9), ack: gap }), { maxLength: 3 }),
})

/** Second computation of the work of automation, without SQL. */
function judge({ ack, close, closer, isRecovered, integration, people }: Case) {
  const first = (isBot: boolean) => {
    const acks = people.flatMap(({ person, ack }) =>
      BOTS.includes(person) === isBot && ack !== null ? [ack] : [],
    )
    return acks.length > 0 ? Math.min(...acks) : null
  }
  const [bot, person] = [first(true), first(false)]
  const others = [person, ack].filter((one) => one !== null)
  const acknowledged = bot !== null && others.every((other) => bot <= other)
  const byHuman = acknowledged ? person : ack
  const taken = people.some(({ person }) => BOTS.includes(person))
  const resolved =
    close !== null && (BOTS.includes(closer) || (closer === 0 && isRecovered && integration === 40))
  const isClosedByPerson = close !== null && closer === 7
  const isAfter = byHuman !== null && (bot === null || byHuman >= bot)
  // If automation did nothing, a person acknowledged.
  const seconds = taken || resolved ? byHuman : ack
  return {
    acknowledged,
    resolved,
    taken,
    handed: taken && (isClosedByPerson || isAfter),
    seconds: seconds !== null && seconds >= 0 ? seconds : null,
  }
}

async function inhabit(cases: readonly Case[]) {
  await happen(
    cases.map(({ ack, close, closer, isRecovered, integration, isMuted }) => ({
      ...(ack === null ? {} : { ack_time: start + ack }),
      ...(close === null ? {} : { close_time: start + close }),
      ...(isRecovered ? { end_time: start + 1 } : {}),
      closer_id: closer,
      integration_id: integration,
      integration_type: integration === 40 ? 'Healer' : 'Prometheus',
      ever_muted: isMuted,
    })),
    asOf,
  )
  await insert(
    'members',
    [6, 7, 8, 9].map((member_id) => ({ member_id, member_name: `Member ${member_id}` })),
  )
  await insert(
    'incident_responders',
    cases.flatMap(({ people }, place) =>
      people.map(({ person, ack }, ordinal) => ({
        incident_id: `i${place}`,
        ordinal,
        person_id: person,
        assigned_at: start,
        ...(ack === null ? {} : { acknowledged_at: start + ack }),
      })),
    ),
  )
}

const overall = `from automation() where incident_severity = '(all)' and team_name = '(all)'`

describe('automation', () => {
  test('has the figures of a second computation', async () => {
    await configured({ members: [8, 'member 9'], integrations: ['healer'] })
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { minLength: 30, maxLength: 30 }), async (cases) => {
        await inhabit(cases)
        const kept = cases.filter(({ isMuted }) => !isMuted)
        fc.pre(kept.length > 0)
        const judged = kept.map(judge)
        const count = (name: 'acknowledged' | 'resolved' | 'taken' | 'handed') =>
          judged.filter((each) => each[name]).length
        const seconds = judged.flatMap((each) => each.seconds ?? []).sort((a, b) => a - b)
        const half = seconds.length / 2
        const median =
          seconds.length === 0 ? null : (seconds[Math.ceil(half) - 1]! + seconds[Math.floor(half)]!) / 2
        const closed = kept.filter(({ close }) => close !== null).length
        expect(await one(overall)).toMatchObject({
          incidents: kept.length,
          acknowledged: count('acknowledged'),
          acknowledged_share: count('acknowledged') / kept.length,
          closed,
          resolved: count('resolved'),
          resolved_share: closed === 0 ? null : count('resolved') / closed,
          taken: count('taken'),
          handed: count('handed'),
          people_n: seconds.length,
          people_median_s: median,
        })
      }),
      { numRuns: 15, seed: 29 },
    )
  })

  test('that acknowledges after 45 s does not shorten the times of people', async () => {
    await configured({ members: ['Member 9'] })
    const people = [
      { person: 9, ack: 45 },
      { person: 7, ack: 2 * HOUR },
    ]
    const common = { close: 3 * HOUR, closer: 7, isRecovered: true, integration: 41, isMuted: false }
    await inhabit(Array.from({ length: 8 }, () => ({ ...common, ack: 45, people })))
    expect(await one('select median(time_to_ack_s) as half from incident_times')).toEqual({ half: 45 })
    expect(await one(overall)).toMatchObject({
      acknowledged_share: 1,
      resolved: 0,
      handed_share: 1,
      people_median_s: 2 * HOUR,
    })
  })

  test('without configuration returns no rows', async () => {
    await configured({})
    await inhabit([
      { ack: 1, close: 2, closer: 8, isRecovered: true, integration: 40, isMuted: false, people: [] },
    ])
    expect([await rows('from automation()'), await rows('from incident_automation')]).toEqual([[], []])
  })
})
