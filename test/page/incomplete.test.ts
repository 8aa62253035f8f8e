import { expect, test } from 'vitest'
import type { ReportResult } from '../../src/render/result.ts'
import { words } from '../../src/render/summary.ts'
import { inlineText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { reportOn } from './company-report.ts'
import { company, readAt } from './odd-worlds.ts'
import { leadOf, linesOf } from './stated-figures.ts'

const DAY = 86_400
/** Midnight of 2 November, where the period of 13 weeks ends. The data was read at noon. */
const end = readAt - DAY / 2

/** The first sentence of the lead, with usual spaces. */
const first = (result: ReportResult) => words(linesOf(result)[0] ?? '')

/** A review of a company whose data was read in these windows, in days before the end of the period. */
async function review(
  windows: readonly (readonly [from: number, to: number])[],
  { quarantined = 0, ...options }: { quarantined?: number; dueAt?: number; period?: string } = {},
) {
  const made = Array.from({ length: 400 }, (_, place) => ({ ago: 0.6 + place }))
  const content = {
    ...company(made),
    quarantined,
    windows: windows.map(([from, to]) => ({
      ...{ run_id: 1, resource: 'incidents', state: 'done' },
      ...{ window_start: end - from * DAY, window_end: end - to * DAY },
    })),
  }
  const file = await warehouseFile((connection) => inhabit(connection, content))
  return reportOn(file, 'reports/reliability-review.md', { timezone: 'UTC', ...options })
}

test.each([
  [
    'a gap',
    [
      [400, 20],
      [10, 0],
    ],
    'The data from 13 Oct 00:00 to 23 Oct 00:00 is missing.',
  ],
  [
    'two gaps',
    [
      [400, 40],
      [35, 20],
      [10, 0],
    ],
    'The data from 23 Sep 00:00 to 28 Sep 00:00 is missing. There is 1 more gap.',
  ],
  ['a late start', [[60, 0]], 'The data starts on 3 Sep 00:00; the first 31 d of the period are missing.'],
] as const)('the lead begins with %s in the data, and no banner repeats it', async (_, windows, sentence) => {
  const result = await review(windows)
  expect(first(result)).toBe(sentence)
  expect(toHtml(result)).not.toContain('Coverage of the period is')
  const { subject, text: raw } = toMail(result, null)
  const text = raw.replaceAll('\u00a0', ' ')
  expect(subject).toMatch(/^Review \(incomplete\): /)
  expect(text.split(sentence)).toHaveLength(2)
  expect(text).not.toContain('Coverage of the period is')
})

test('a report whose data ends early begins with the end of the data', async () => {
  const next = /^wait for the complete report, or run “faultline sync”[.;]/
  const half = await review([[400, 1.5]], { period: '2026-10' })
  expect(first(half)).toBe('The data ends on 31 Oct 12:00; the last 12 h of the period are missing.')
  expect(inlineText(leadOf(half).next)).toMatch(next)
  const scheduled = await review([[400, -0.5]], { dueAt: (end + 7 * DAY) * 1_000, period: '1 week' })
  expect(first(scheduled)).toBe('The data ends on 2 Nov 12:00; the last 6 d 12 h of the period are missing.')
  expect(scheduled.warnings).toEqual([])
  expect(inlineText(leadOf(scheduled).next)).toMatch(next)
})

test('the lead begins with rejected records if they are 1% or more of the records', async () => {
  const [many, few] = [
    await review([[400, 0]], { quarantined: 5 }),
    await review([[400, 0]], { quarantined: 1 }),
  ]
  expect(first(many)).toBe('5 of 405 records were rejected, so counts may be too low.')
  expect(toHtml(many)).not.toContain('records are quarantined')
  expect(first(few)).not.toMatch(/rejected/)
  expect(toHtml(few)).toContain('1 record is quarantined')
})
