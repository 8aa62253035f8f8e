import { expect, test } from 'vitest'
import { periodsOf } from '../../src/page/sentences/period-sentences.ts'
import { words } from '../../src/render/summary.ts'
import { parsePeriod } from '../../src/report/parse/parse-period.ts'
import { periodLabel } from '../../src/report/scope/frame-text.ts'
import { resolvePeriod } from '../../src/report/scope/period.ts'
import { sample } from '../support/report-result.ts'

test.each([
  ['1 month', 'October 2026', 'compared with September'],
  ['13 weeks', '3 Aug – 1 Nov 2026', 'compared with the 13 weeks before'],
  ['1 week', '26 Oct – 1 Nov 2026', 'compared with the week before'],
  ['2026-Q3', '1 Jul – 30 Sep 2026 (1 quarter)', 'compared with 1 Apr – 30 Jun'],
  ['2 months', '1 Sep – 31 Oct 2026 (2 months)', 'compared with 1 Jul – 31 Aug'],
  ['this month', '1 Nov – 2 Nov 2026 (this month so far)', 'compared with 30 Oct – 31 Oct'],
])('the period "%s" is shown as %s, %s', (written, label, compared) => {
  const { from, to, previousFrom, span } = resolvePeriod(parsePeriod(written), '2026-11-02')
  const previousLabel = periodLabel({ from: previousFrom, to: from })
  expect(
    periodsOf({ ...sample().frame, label: periodLabel({ from, to }), span, previousLabel }).map(words),
  ).toEqual([label, compared])
})
