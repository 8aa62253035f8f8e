import fc from 'fast-check'
import { expect, it } from 'vitest'
import { steadyClock } from '../../src/client/steady-clock.ts'

it('never goes back, and goes on at the pace of the clock it reads, whatever that is set to', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -4_000_000, max: 4_000_000 })), (steps) => {
      let time = 1_000_000
      const clock = steadyClock(() => time)
      let last = clock()
      for (const step of steps) {
        time += step
        const next = clock()
        expect(next - last).toBe(Math.max(0, step))
        last = next
      }
    }),
  )
})
