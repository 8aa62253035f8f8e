import { expect, test } from 'vitest'
import { sandboxClock } from '../../../src/sandbox/clock.ts'
import { buildWorld } from '../../../src/sandbox/world/build-world.ts'
import { DAY, type Json, NOW, open } from '../../support/sandbox.ts'

const MONTH = 34 * DAY

/** The distinct states of each incident from a month to a year after its start. */
function looks(late: number, count: number): Json[][] {
  const clock = sandboxClock(NOW)
  const { incidents } = buildWorld({ seed: 5, incidents: count, anchor: NOW, late }, clock)
  return Array.from({ length: count }, (_, i) => {
    const texts = new Set<string>()
    for (let after = MONTH; after < 365 * DAY; after += 9 * DAY) {
      clock.set(incidents.startOf(i) + after)
      texts.add(incidents.isListed(i) ? incidents.json(i) : 'null')
    }
    return [...texts].map((text) => JSON.parse(text))
  })
}

test('the sandbox option `late` sets the share of incidents that change more than a month after their start', () => {
  const share = (late: number) => looks(late, 600).filter((states) => states.length > 1).length / 600
  const usual = share(0)
  expect(usual).toBeLessThan(0.03)
  expect(share(0.03)).toBeGreaterThan(usual + 0.015)
  const seen = new Set<string>()
  for (const [first, ...later] of looks(1, 400)) {
    let before = first
    for (const now of later) {
      if (now === null) seen.add('vanished')
      else {
        expect(now.updated_at).toBeGreaterThan(before.updated_at)
        if (before.progress === 'Closed' && now.progress !== 'Closed') seen.add('reopened')
        if (before.progress !== 'Closed' && now.progress === 'Closed') seen.add('closed')
        if (before.incident_severity !== now.incident_severity) seen.add('edited')
        if (before.root_cause !== now.root_cause) seen.add('explained')
        if (before.post_mortem_id !== now.post_mortem_id) seen.add('linked')
        if (before.deleted_at !== now.deleted_at) seen.add('deleted')
      }
      before = now
    }
  }
  expect([...seen].sort()).toEqual([
    'closed',
    'deleted',
    'edited',
    'explained',
    'linked',
    'reopened',
    'vanished',
  ])
})

test('a sandbox with `late: 0` equals a sandbox without the option', async () => {
  const [without, none] = [await open({ incidents: 300 }), await open({ incidents: 300, late: 0 })]
  expect(await none.truth()).toEqual(await without.truth())
  await expect(open({ late: 2 })).rejects.toThrow(/late must be a share/)
})
