import { expect, test } from 'vitest'
import { sandboxClock } from '../../src/sandbox/clock.ts'

test('a stopped sandbox clock shows the time that was set', () => {
  const clock = sandboxClock(1_000)
  expect(clock.now()).toBe(1_000)
  clock.set(5)
  expect(clock.now()).toBe(5)
})

test('a running sandbox clock advances in real time from the time that was set', () => {
  let real = 70.9
  const clock = sandboxClock(1_000, () => real)
  expect(clock.now()).toBe(1_000)
  real += 60
  expect(clock.now()).toBe(1_060)
  clock.set(2_000)
  real += 2
  expect(clock.now()).toBe(2_002)
})
