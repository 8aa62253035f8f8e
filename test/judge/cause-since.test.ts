import { expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { words } from '../../src/render/summary.ts'
import { company, readAt } from '../page/odd-worlds.ts'
import { seeded } from '../support/random.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

interface World {
  seed: number
  /** Days ago on which the alert starts and ends, and its incidents per day. */
  since: number
  until?: number
  perDay?: number
  /** Days ago on which the alert starts again. */
  again?: number
  /** Whether the team of the alert has no other incidents. */
  isNew?: boolean
}

/** Returns the lead of the review of two teams with ten incidents a week each, and one alert of Search. */
async function leadWith({ seed, since, until = 0, perDay = 2, again = 0, isNew = false }: World) {
  const random = seeded(seed)
  const made = [...Array(540)].flatMap((_, place) => {
    const ago = 0.5 + place * 0.35 + random() * 0.3
    return (isNew ? ['Identity', 'Payments'] : ['Search', 'Payments'])
      .map((team) => ({ ago, team }))
      .filter(() => random() < 0.5)
  })
  const alert = [...Array(Math.round((since - until) * perDay))].map(() => ({
    ago: until + random() * (since - until),
    team: 'Search',
    title: 'ranking-api answers slowly',
  }))
  for (let place = 0; place < again * perDay; place++)
    alert.push({ ago: random() * again, team: 'Search', title: 'ranking-api answers slowly' })
  // Different times to close, which do not look like a timer.
  const incidents = [...made, ...alert].map((one) => ({ ...one, close: 1_800 + random() * 7_200 }))
  const file = await warehouseFile((connection) => inhabit(connection, company(incidents)))
  const reader = await openReader(file)
  const { verdict } = await runReport('reports/reliability-review.md', reader, { timezone: 'UTC' })
  reader.close()
  return words(verdict)
}

const dayOf = (lead: string) => {
  const [, said] = /one alert: ranking-api answers slowly, up since about (\d+ \w+)/.exec(lead) ?? []
  return said === undefined ? undefined : Date.parse(`${said} 2026 UTC`) / 1_000
}

test.each([
  { seed: 1, since: 25 },
  { seed: 2, since: 25 },
  { seed: 3, since: 40 },
  { seed: 4, since: 60 },
])(
  'a finding names the day on which its alert became frequent: $since days ago, seed $seed',
  async (made) => {
    const day = dayOf(await leadWith(made))
    expect(day).toBeDefined()
    expect(Math.abs(day! - (readAt - made.since * 86_400)) / 86_400).toBeLessThan(4)
  },
)

test('a finding does not name a day if its alert became rare again', async () => {
  const lead = await leadWith({ seed: 5, since: 85, until: 35, perDay: 4 })
  expect(lead).toContain('one alert: ranking-api answers slowly')
  expect(dayOf(lead)).toBeUndefined()
})

test('a finding only names a day in the weeks that it compares', async () => {
  const lead = await leadWith({ seed: 6, since: 330, until: 190, perDay: 2, again: 45 })
  const day = dayOf(lead)
  expect(day === undefined || day > readAt - 60 * 86_400).toBe(true)
})

test('the next step names the alert behind a channel that is new in the period', async () => {
  expect(await leadWith({ seed: 7, since: 50, perDay: 1.8, isNew: true })).toContain(
    'fix “ranking-api answers slowly”',
  )
})
