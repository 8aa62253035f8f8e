import { expect, test } from 'vitest'
import { progressLine, secondsLeft } from '../../../src/cli/sync/progress.ts'

const progress = {
  resource: 'incidents',
  slicesDone: 2,
  slicesPlanned: 8,
  requests: 100,
  requestsPlanned: 300,
  throttled: 0,
  rows: 9_876,
  seconds: 1.6,
}

test('the progress line shows windows, rows, the rate with its limit, and the estimated time left', () => {
  expect(progressLine(progress, 1)).toBe(
    '2 of 8 windows · 9,876 rows · now incidents · 50.0 of 50 requests/s · about 5 s left',
  )
  expect(progressLine({ ...progress, throttled: 3 }, 0.5)).toContain('50.0 of 25 requests/s · 3 × 429')
})

test('the progress line never shows a rate above the limit, even for a burst at the beginning of a second', () => {
  expect(progressLine({ ...progress, requests: 50, seconds: 0.3 }, 1)).toContain(' 50.0 of 50 requests/s')
  expect(progressLine({ ...progress, requests: 0, seconds: 0 }, 1)).toContain(' 0.0 of 50 requests/s')
})

test('the progress line omits the time left if it cannot be estimated', () => {
  expect(secondsLeft({ ...progress, slicesDone: 0 })).toBeNull()
  expect(secondsLeft({ ...progress, seconds: 0.4 })).toBeNull()
})
