import { expect, test } from 'vitest'
import { sandboxClock } from '../../../src/sandbox/clock.ts'
import { buildWorld } from '../../../src/sandbox/world/build-world.ts'
import { DAY, NOW, open } from '../../support/sandbox.ts'

/** The share of incidents that change later than a month after their start. */
function changedLate(late: number, count = 600): number {
  const clock = sandboxClock(NOW)
  const { incidents } = buildWorld({ seed: 5, incidents: count, anchor: NOW, late }, clock)
  const changed = Array.from({ length: count }, (_, i) => {
    const texts = new Set<string>()
    for (let after = 34 * DAY; after < 365 * DAY; after += 9 * DAY) {
      clock.set(incidents.startOf(i) + after)
      texts.add(incidents.isListed(i) ? incidents.json(i) : 'null')
    }
    return texts.size > 1
  })
  return changed.filter(Boolean).length / count
}

test('the sandbox option `late` sets the share of incidents that change more than a month after their start', () => {
  const usual = changedLate(0)
  expect(usual).toBeLessThan(0.03)
  expect(changedLate(0.03)).toBeGreaterThan(usual + 0.015)
})

test('a sandbox with `late: 0` equals a sandbox without the option', async () => {
  const [without, none] = [await open({ incidents: 300 }), await open({ incidents: 300, late: 0 })]
  expect(await none.truth()).toEqual(await without.truth())
  await expect(open({ late: 2 })).rejects.toThrow(/late must be a share/)
})
