import { expect, test } from 'vitest'
import type { ReportSummary, SummaryKpi } from '../../src/render/summary.ts'
import { toIndex } from '../../src/render/to-index.ts'

const card = (label: string, target: SummaryKpi['target']): SummaryKpi => ({
  ...{ label, value: '62%', n: 120, interval: null, change: null, target },
})
const index = (...kpis: SummaryKpi[]) =>
  toIndex([], new Date('2026-11-22T12:00:00Z'), [
    {
      team: 'Payments',
      page: 'teams/1/',
      summaries: [{ kpis, findings: [], gates: [], verdict: '' } as unknown as ReportSummary],
    },
  ])

test('the report index lists a team’s card that clearly misses its target', () => {
  const missed = { text: 'target 90%', met: false, doubt: null }
  expect(index(card('Acknowledged within target', missed))).toContain('Acknowledged within target')
})

test('the report index omits a card that meets its target or possibly meets it', () => {
  expect(index(card('In time', { text: 'target 90%', met: true, doubt: null }))).not.toContain('In time')
  expect(index(card('In time', { text: 'target 90%', met: false, doubt: 'too few' }))).not.toContain(
    'In time',
  )
})

test('the report index shows “No data for this period.” for a team without data', () => {
  const summary = { kpis: [], findings: [], gates: [], is_empty: true, verdict: 'No data for this period.' }
  const page = toIndex([], new Date('2026-11-22T12:00:00Z'), [
    { team: 'Payments', page: 'teams/1/', summaries: [summary as unknown as ReportSummary] },
  ])
  expect(page).toContain('No data for this period.')
  expect(page).not.toContain('Nothing unusual.')
})
