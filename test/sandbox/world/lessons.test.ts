import { expect, test } from 'vitest'
import { sandboxClock } from '../../../src/sandbox/clock.ts'
import { truthOf } from '../../../src/sandbox/control-endpoints.ts'
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts'
import { buildWorld } from '../../../src/sandbox/world/build-world.ts'
import { lessonOf, stories } from '../../../src/sandbox/world/scenarios/index.ts'

const DAY = 86_400
const ANCHOR = Date.UTC(2026, 10, 22, 12) / 1_000
const names = Object.keys(stories)
interface Read {
  readonly title: string
  readonly channel_name: string
  readonly start_time: number
  readonly close_time: number
  readonly labels: Record<string, string>
}

/** The incidents of a scenario at the time `now`. */
function served(world: string, seed: number, now = ANCHOR): Read[] {
  const { incidents } = lessonOf(world)
  const built = buildWorld({ seed, incidents, anchor: ANCHOR, world }, sandboxClock(now))
  return Array.from(truthOf(built), (line) => JSON.parse(line) as Read)
}
const share = (of: readonly Read[], is: (one: Read) => boolean) => of.filter(is).length / of.length

test.each([1, 2, 3])('the scenario storm has a spike of one hour on a Wednesday (seed %i)', (seed) => {
  const all = served('storm', seed)
  const begins = Date.UTC(2026, 10, 11, 10) / 1_000
  const isIn = ({ start_time }: Read) => start_time >= begins && start_time < begins + 3_600
  expect(share(all, isIn)).toBeGreaterThan(0.25)
  expect(share(all, isIn)).toBeLessThan(0.6)
  expect(new Set(all.filter(isIn).map(({ channel_name }) => channel_name))).toEqual(
    new Set(['Payments (production)']),
  )
})

test.each([1, 2, 3])(
  'the scenario silence has a data gap of 50 days until the clock advances (seed %i)',
  (seed) => {
    const last = Math.max(...served('silence', seed).map(({ start_time }) => start_time))
    expect(ANCHOR - last).toBeGreaterThanOrEqual(50 * DAY)
    expect(ANCHOR - last).toBeLessThan(53 * DAY)
    const later = served('silence', seed, ANCHOR + 7 * DAY)
    expect(later.filter(({ start_time }) => start_time >= ANCHOR).length).toBeGreaterThan(5)
  },
)

test.each([1, 2, 3])(
  'the scenario test-services contains 11 test incidents in every 12 (seed %i)',
  (seed) => {
    const all = served('test-services', seed)
    const isTest = ({ channel_name }: Read) => ['Soaking', 'Silent Test'].includes(channel_name)
    expect(share(all, isTest)).toBeGreaterThan(0.9)
    expect(share(all, isTest)).toBeLessThan(0.94)
    const closed = all.filter((one) => isTest(one) && one.close_time > 0)
    expect(share(closed, ({ start_time, close_time }) => close_time - start_time < 60)).toBeGreaterThan(0.6)
    const others = all.filter((one) => !isTest(one))
    const spelled = new Set(others.map(({ labels }) => labels.service).filter(Boolean))
    expect(new Set([...spelled].map((one) => one!.toLowerCase())).size).toBeLessThan(spelled.size)
    expect(others.some(({ title }) => title.startsWith('[TEST]'))).toBe(true)
  },
)

test.each(names)('the scenario %s gains incidents as the clock advances', async (world) => {
  const sandbox = await startSandbox({ world, incidents: 40, now: ANCHOR })
  try {
    expect(sandbox.truth().length).toBeLessThanOrEqual(40)
    const before = sandbox.truth().length
    sandbox.advance(200 * DAY)
    expect(sandbox.truth().length).toBeGreaterThan(before)
  } finally {
    await sandbox.close()
  }
})

test('the sandbox rejects an unknown scenario and lists the known scenarios', async () => {
  await expect(startSandbox({ world: 'strom' })).rejects.toMatchObject({
    message: expect.stringContaining('Unknown world "strom"'),
    next: expect.stringContaining('storm'),
  })
  await expect(startSandbox({ world: 'toString' })).rejects.toMatchObject({
    next: expect.stringContaining('test-services'),
  })
})
