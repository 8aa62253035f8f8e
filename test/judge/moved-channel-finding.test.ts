import { expect, test } from 'vitest'
import { words } from '../../src/render/summary.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { reportOn } from '../page/company-report.ts'
import { linesOf } from '../page/stated-figures.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { findingWorld } from './finding-worlds.ts'

const REVIEW = 'reports/reliability-review.md'
const settled = (plant: Parameters<typeof findingWorld>[0], seed: number) =>
  warehouseFile((connection) => inhabit(connection, findingWorld(plant, seed).content))

test('a channel that moved explains the changes of both teams, and suspends comparisons in their reports', async () => {
  const file = await settled('a moved channel', 1)
  const { findings } = await reportOn(file, REVIEW, { timezone: 'UTC' })
  const touched = objectsOf(findings!).filter(({ reason }) => reason === 'touched by a moved channel')
  expect(touched.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
    'gap payments-web',
    'month Payments',
  ])
  for (const team of ['Platform', 'Payments']) {
    const own = await reportOn(file, REVIEW, { timezone: 'UTC', team })
    expect(words(linesOf(own)[0]!)).toMatch(
      /^The channel payments-web moved from Platform to Payments on 28 Sep /,
    )
    expect(own.kpis[0]!.change!.verdict).toBe('not compared: a channel of Platform moved to another team')
  }
  // The month after the move: only the report of one team mentions it.
  const october = { timezone: 'UTC', period: '2026-10' }
  const later = await reportOn(file, REVIEW, { ...october, team: 'Platform' })
  expect(words(linesOf(later)[0]!)).toMatch(
    /^The channel payments-web moved from Platform to Payments on 28 Sep /,
  )
  expect(linesOf(await reportOn(file, REVIEW, october)).join(' ')).not.toContain('moved')
})

test('a gap of a team that ended is named, and suspends the comparison of all incidents', async () => {
  const file = await settled('a gap that ended', 1)
  const { kpis } = await reportOn(file, REVIEW, { timezone: 'UTC' })
  expect(words(kpis[0]!.change!.verdict)).toBe(
    'not compared: no incidents recorded from Data for 28 days from 31 Aug',
  )
  // The gap is in the previous month.
  const month = await reportOn(file, 'reports/executive-summary.md', { timezone: 'UTC' })
  expect(words(month.verdict)).toMatch(
    /^Incidents from Data have been recorded again since 28 Sep, after 28 days /,
  )
  expect(words(month.verdict)).not.toMatch(/No significant change|ordinary/)
})
