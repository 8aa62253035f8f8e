import { expect, test } from 'vitest'
import { parsePeriod } from '../../../src/report/parse/parse-period.ts'
import { resolvePeriod } from '../../../src/report/scope/period.ts'

test('a period up to now includes the current week, and the previous period has the same length', () => {
  expect(resolvePeriod(parsePeriod('13 weeks to now'), '2026-11-10')).toMatchObject({
    ...{ previousFrom: '2026-05-23', from: '2026-08-17', to: '2026-11-11' },
    ...{ open: true, span: '13 weeks to now' },
  })
})
