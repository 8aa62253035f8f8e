import { expect, test } from 'vitest'
import type { ReportSummary } from '../../src/render/summary.ts'
import { toIndex } from '../../src/render/to-index.ts'

const now = new Date('2026-11-22T12:00:00Z')
const none = { findings: [], gates: [], verdict: '' }

const period = { from: '2026-11-01', to: '2026-11-22', label: '1–21 Nov', timezone: 'UTC' }
const indexOf = (...summaries: object[]) =>
  toIndex(
    summaries.map((one, place) => {
      const texts = { title: `Report ${place}`, opening: '', headline: '', urgent: '', open_url: null }
      const scope = { teams: 'All teams', severities: 'All severities' }
      const known = { ...none, ...texts, ...scope, period, lead: [], warnings: [], as_of: now.toISOString() }
      const summary = { ...known, ...one } as unknown as ReportSummary
      return { latest: { summary, page: `${place}.html` }, history: [] }
    }),
    now,
  )

test('the report index links the most urgent incident, but only over https', () => {
  const index = (open_url: string | null) => indexOf({ urgent: '1 incident is open.', open_url })
  expect(index('https://service.example/1')).toMatch(
    /<a href="https:\/\/service\.example\/1"[^>]*>1 incident is open\.<\/a>/,
  )
  for (const unsafe of [null, 'javascript:alert(1)'])
    expect(index(unsafe)).toContain('<p class="urgent">1 incident is open.</p>')
})

test('the report index takes the most urgent incident from the newest data', () => {
  const monthly = { urgent: '1 incident was open.', as_of: '2026-11-01T02:30:00.000Z' }
  expect(indexOf(monthly, { urgent: '' })).not.toContain('class="urgent"')
  expect(indexOf(monthly, { urgent: '2 incidents are open.' })).toContain('2 incidents are open.')
})

test('the report index shows the first finding in a few words, and shows no finding twice', () => {
  const [slow, late] = ['Checkout takes 42 min to acknowledge.', 'Payments resolves late.']
  const page = indexOf(
    { findings: [slow], headline: 'Checkout acknowledges in 42 min' },
    { findings: [slow, late], headline: 'Checkout acknowledges in 42 min' },
    { findings: [slow] },
  )
  expect(page).toMatch(/Checkout acknowledges in 42 min.*Payments resolves late\..*Same finding as above\./s)
  expect(page).not.toContain(slow)
})

test('the report index shows the judgment of a report with its first new finding', () => {
  const [slow, late] = ['Checkout takes 42 min to acknowledge.', 'Payments resolves late.']
  const page = indexOf(
    { findings: [slow] },
    { opening: '2 of 9 teams need attention.', findings: [slow, late] },
    { opening: 'October was an ordinary month.', lead: ['October was an ordinary month.'] },
  )
  expect(page).toContain('2 of 9 teams need attention. Payments resolves late.')
  expect(page).toMatch(/October was an ordinary month\.</)
})

test('the report index shows a problem of all reports once', () => {
  const gate = (message: string) => ({ name: message, origin: 'data quality', state: 'warn', message })
  const [old, empty] = [gate('The data is 3 days old.'), gate('No team is known.')]
  const page = indexOf({ gates: [old] }, { gates: [old, empty] })
  expect(page.match(/<p class="banner">[^<]*/g)).toEqual([
    '<p class="banner">The data is 3 days old.',
    '<p class="banner">No team is known.',
  ])
})

test('the report index lists teams with a finding first', () => {
  const team = (name: string, findings: string[]) => ({
    ...{ team: name, page: `teams/${name}/` },
    summaries: [{ ...none, findings } as unknown as ReportSummary],
  })
  const page = toIndex([], now, [team('Calm', []), team('Slow', ['Slow takes 42 min to acknowledge.'])])
  expect(page).toMatch(/Slow takes 42 min.*Calm.*Nothing unusual/s)
})

test('the report index shows “No data for this period.” for a team without data', () => {
  const summary = { ...none, is_empty: true, verdict: 'No data for this period.' }
  const page = toIndex([], now, [
    { team: 'Payments', page: 'teams/1/', summaries: [summary as unknown as ReportSummary] },
  ])
  expect(page).toContain('No data for this period.')
  expect(page).not.toContain('Nothing unusual.')
})
