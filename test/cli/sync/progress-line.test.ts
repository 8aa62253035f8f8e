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

test('the progress line of a sync shows windows, rows, request rate and time left', () => {
  expect(progressLine(progress, 1)).toBe(
    '2 of 8 windows · 9,876 rows · now incidents · 50.0 of 50 requests/s · about 5 s left',
  )
  expect(progressLine({ ...progress, throttled: 3 }, 0.5)).toContain('50.0 of 25 requests/s · 3 × 429')
})

test('the progress line of a sync never shows a request rate above the limit', () => {
  expect(progressLine({ ...progress, requests: 50, seconds: 0.3 }, 1)).toContain(' 50.0 of 50 requests/s')
  expect(progressLine({ ...progress, requests: 0, seconds: 0 }, 1)).toContain(' 0.0 of 50 requests/s')
})

test('the estimated time left of a sync is null before the first window is done', () => {
  expect(secondsLeft({ ...progress, slicesDone: 0 })).toBeNull()
  expect(secondsLeft({ ...progress, seconds: 0.4 })).toBeNull()
})
