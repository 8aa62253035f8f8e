import { expect, test } from 'vitest'
import { windowsAtOnce } from '../../src/sync/windows-at-once.ts'

test('as many windows go side by side as twice the requests of a round trip, from 8 to 32', () => {
  const asked = [0, 1, 80, 81, 150, 300, 320, 60_000].map(windowsAtOnce)
  expect(asked).toEqual([8, 8, 8, 9, 15, 30, 32, 32])
})
