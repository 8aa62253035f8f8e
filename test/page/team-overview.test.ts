import { describe, expect, test } from 'vitest'
import { summaryOf, words } from '../../src/render/summary.ts'
import { inlineText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { withObjectives } from '../support/objectives.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { type Content, inhabit } from '../support/world.ts'
import { reportOn, rowsOf } from './company-report.ts'
import { company } from './odd-worlds.ts'
import { leadOf, linesOf } from './stated-figures.ts'

const overviewOf = async (content: Content) =>
  reportOn(await warehouseFile((connection) => inhabit(connection, content)), 'reports/team-overview.md', {
    settings: withObjectives,
  })

/** How many of ten incidents each team acknowledges in time. The objective is nine of ten. */
const inTime = { early: 7, slow: 3, steady: 8 }

test('the team overview marks only the team clearly below average if all teams miss the objective', async () => {
  const made = Object.entries(inTime).flatMap(([team, share]) =>
    Array.from({ length: 182 }, (_, place) => {
      const ack = place % 10 < share ? 60 : 7_200
      return { ago: place + 1, team, severity: 'Warning', ack, close: 10_000 }
    }),
  )
  expect(rowsOf(await overviewOf(company(made)), 'ranked').map(({ team, reason }) => [team, reason])).toEqual(
    [
      ['slow', 'slow to acknowledge, objective missed'],
      ['early', ''],
      ['steady', ''],
    ],
  )
})

test('the team overview has the same number of open incidents in lead and table', async () => {
  const open = { ago: 3, team: 'Search', close: null }
  const result = await overviewOf(company([open, open]))
  const serious = rowsOf(result, 'ranked').reduce((sum, row) => sum + Number(row.serious), 0)
  expect(serious).toBe(2)
  expect(rowsOf(result, 'summary')[0]!.open).toBe(2n)
})

test('the team overview does not describe a one-week spike of a team as a rise', async () => {
  const storm = Array.from({ length: 120 }, (_, place) => ({ ago: 10 + place / 200, team: 'Search' }))
  const usual = Array.from({ length: 530 }, (_, place) => ({ ago: (place * 3) / 4, team: 'Search' }))
  const rising = Array.from({ length: 390 }, (_, place) => ({ ago: (place % 130) * 0.7, team: 'Payments' }))
  const falling = Array.from({ length: 65 }, (_, place) => ({ ago: 91 + place * 1.4, team: 'Payments' }))
  const far = Array.from({ length: 12 }, (_, place) => ({ ago: place * 2.5, team: 'Ledger' }))
  const content = company([...storm, ...usual, ...rising, ...falling, ...far, { ago: 150, team: 'Ledger' }])
  const result = await overviewOf(content)
  const reasonOf = Object.fromEntries(
    rowsOf(result, 'ranked').map(({ team, reason }) => [String(team), reason]),
  )
  expect(reasonOf).toMatchObject({ Search: 'spike', Payments: 'more incidents' })
  expect(words(toHtml(result))).toContain('3 of 3 teams need attention. ')
})

test('a part that moved like all others is not in the lead beside a part that clearly moved', async () => {
  const steady = (team: string, perWeek: number, from: number, to: number) =>
    Array.from({ length: Math.round(((to - from) / 7) * perWeek) }, (_, place) => ({
      ...{ ago: from + ((place + 0.5) * 7) / perWeek, team, close: 600 + 37 * (place % 90) },
    }))
  const others = Array.from({ length: 8 }, (_, place) => `Team ${place}`).flatMap((team) => [
    ...steady(team, 7, 0.5, 91.5),
    ...steady(team, 8, 91.5, 210),
  ])
  const halved = [...steady('Small', 2.3, 0.5, 91.5), ...steady('Small', 4.6, 91.5, 210)]
  const loud = [...steady('Loud', 20, 0.5, 29), ...steady('Loud', 8, 29, 210)]
  const result = await overviewOf(company([...others, ...halved, ...loud]))
  const fell = objectsOf(result.findings!).find(({ subject }) => subject === 'Small alerts')
  // The only channel of a team differs from the other channels if the team differs from the other teams.
  expect(fell).toMatchObject({ gives_way: false, is_apart: false })
  expect(linesOf(result)).toEqual([
    expect.stringMatching(/^Incidents from Loud alerts: 80 in the last four weeks/),
  ])
})

describe('the team overview', () => {
  const openingAndReasons = async (content: Content) => {
    const result = await overviewOf(content)
    const rows = rowsOf(result, 'ranked')
    return { opening: summaryOf(result).opening, reasons: rows.map(({ team, reason }) => [team, reason]) }
  }
  const every = (days: number, more: object) =>
    Array.from({ length: Math.floor(180 / days) }, (_, place) => ({ ago: 0.5 + place * days, ...more }))

  test('marks a team with a spike in a channel of the same name', async () => {
    const content = company([
      ...every(0.7, { team: 'Search', close: null }),
      ...every(0.7, { team: 'Payments', close: null }),
      ...Array.from({ length: 140 }, (_, place) => ({
        ago: 20 + place / 1_000,
        team: 'Search',
        close: null,
      })),
    ])
    const channels = content.channels!.map((one) => ({
      ...one,
      channel_name: String((one as { channel_name: string }).channel_name).replace(' alerts', ''),
    }))
    const { reasons } = await openingAndReasons({ ...content, channels })
    expect(Object.fromEntries(reasons)).toMatchObject({ Search: expect.stringContaining('spike') })
  })

  test('does not count incidents without a channel as a team that needs attention', async () => {
    const content = company([
      ...every(2, { team: 'Search' }),
      { ago: 0.3, team: 'Search', severity: 'Critical', ack: null, close: null },
    ])
    const lost = content.incidents!.at(-1) as { incident_id: string }
    const alone = { ...lost, incident_id: 'f'.repeat(24), num: 'N-lost', channel_id: 0 }
    const { opening, reasons } = await openingAndReasons({
      ...content,
      incidents: [...content.incidents!, alone],
    })
    expect(reasons.map(([team]) => team)).toContain('(no channel)')
    expect(opening).toBe('1 of 1 team needs attention.')
  })

  test('does not say that no team needs attention if no incidents were recorded', async () => {
    const { opening } = await openingAndReasons(
      company(every(0.5, {}).map((one) => ({ ...one, ago: one.ago + 50 }))),
    )
    expect(opening).toBe('')
  })
})

test('the review of one team omits the charts that compare teams, and their heading', async () => {
  const made = ['Search', 'Payments'].flatMap((team) =>
    Array.from({ length: 60 }, (_, place) => ({ ago: place + 0.5, team })),
  )
  const file = await warehouseFile((connection) => inhabit(connection, company(made)))
  const result = await reportOn(file, 'reports/reliability-review.md', { team: 'Search' })
  const options = { csv: null, lists: null, teamPage: () => null }
  const headings = (isCompact: boolean) =>
    [...toHtml(result, { ...options, isCompact }).matchAll(/<h2[^>]*>([^<]*)/g)].map(([, text]) => text)
  expect(headings(false)).toContain('Teams')
  expect(headings(true)).not.toContain('Teams')
  expect(headings(true)).toContain('Response times')
})

test('the team overview describes each team in one sentence, a data gap first, and counts the other teams', async () => {
  const teams = ['Search', 'Payments', 'Ledger', 'Fraud', 'Mobile', 'Data']
  const made = teams.flatMap((team, at) =>
    Array.from({ length: 360 }, (_, place) => ({
      ...{ ago: place / 2 + 0.3 + at / 100, team, severity: 'Warning', close: 9_000 + 61 * (place % 90) },
      ack: (team === 'Fraud' ? 2_400 : 500) + 13 * (place % 20),
    })).filter(({ ago }) => team !== 'Payments' || ago > 30),
  )
  const open = { severity: 'Critical', ack: null, close: null }
  const waiting = [
    { ...open, ago: 0.2, team: 'Mobile', title: 'Checkout page fails' },
    { ...open, ago: 0.1, team: 'Ledger' },
  ]
  const result = await overviewOf(company([...made, ...waiting]))
  expect(words(summaryOf(result).opening)).toBe('4 of 6 teams need attention.')
  expect(linesOf(result).map(words)).toEqual([
    expect.stringMatching(
      /^No incidents recorded from Payments since \d+ Oct \(\d+ days; usual: 14 per week\)\.$/,
    ),
    expect.stringMatching(/^2 high-severity .* The most urgent is N\d+ Checkout page fails \(Mobile\)\.$/),
    expect.stringMatching(/^Fraud takes 4\d min to acknowledge; the other teams 10 min, all along\.$/),
    'Ledger: 1 unacknowledged.',
  ])
  const { open: now, rest, next } = leadOf(result)
  expect([words(inlineText(now)), words(inlineText(rest))]).toEqual(['', 'The other 2: nothing unusual.'])
  expect(inlineText(next)).toContain('check who is paged first (Fraud)')
  expect(rowsOf(result, 'ranked').map(({ team }) => team)).toEqual(expect.arrayContaining(teams))
  const drawn = result.blocks.find((block) => block.kind === 'table')!.data
  expect(
    objectsOf(drawn)
      .slice(0, 4)
      .map(({ team }) => team),
  ).toEqual(['Payments', 'Mobile', 'Fraud', 'Ledger'])
  const reasons = objectsOf(result.findings!).filter(({ reason }) => reason === 'in the lead')
  expect(reasons.map(({ sentence }) => sentence).toSorted()).toEqual(linesOf(result).slice(0, 3).toSorted())
})
