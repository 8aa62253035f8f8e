import { expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { openReader } from '../support/storage.ts'
import { cardsOf, exploredCompany, ownWords, sent } from './explored.ts'

test('a number in a report links to an explorer list of exactly that many incidents', {
  timeout: 240_000,
}, async () => {
  const { warehouse, explored } = await exploredCompany()
  const reader = await openReader(warehouse, { settings: ownWords })
  const runs = [
    ['mtta-mttr', {}],
    ['severity-trend', { period: 'this month', team: ['platform', 'search'] }],
    ['reliability-review', { period: '2026-09', dimensions: { service: ['auth', 'ci-runners'] } }],
  ] as const
  const found = new Set<string>()
  let without = 0
  for (const [name, options] of runs) {
    const { lists, counted } = await runReport(`reports/${name}.md`, reader, options as never)
    const filters = lists!.lists.filter(({ filter }) => filter !== null)
    const { text: all } = await sent(explored, `/explore?${lists!.filter}`)
    const included = counted.funnel.find(({ label }) => label === 'included')!
    expect(cardsOf(all).get('Incidents'), name).toBe(String(included.count))
    without += lists!.lists.length - filters.length
    // The first lists of a report cover all kinds.
    for (const { filter, count, label } of filters.slice(0, 25)) {
      const { text } = await sent(explored, `/explore?${filter}`)
      expect(cardsOf(text).get('Incidents'), `${name}: ${label}: ${filter}`).toBe(String(count))
      for (const key of new URLSearchParams(filter!).keys()) found.add(key)
    }
  }
  reader.close()
  explored.close()
  expect([...found]).toEqual(expect.arrayContaining(['severity', 'team', 'dimension.service', 'period']))
  // A list by duration has no filter in the explorer.
  expect(without).toBeGreaterThan(0)
})
