import { expect, test } from 'vitest'
import { sandboxClock } from '../../../src/sandbox/clock.ts'
import { buildWorld } from '../../../src/sandbox/world/build-world.ts'

const ANCHOR = Date.UTC(2026, 10, 22, 12) / 1_000
const TURN = Date.UTC(2026, 9, 1) / 1_000
interface Read {
  readonly title: string
  readonly channel_id: number
  readonly incident_severity: string
  readonly progress: string
  readonly start_time: number
  readonly ack_time: number
  readonly ever_muted: boolean
}
const GOAL_S: Record<string, number> = { Critical: 300, Warning: 900, Info: 3_600 }

test.each([1, 2, 3])('the demo company contains its four planted findings (seed %i)', (seed) => {
  const world = buildWorld(
    { seed, incidents: 6_000, anchor: ANCHOR, world: 'meridian' },
    sandboxClock(ANCHOR),
  )
  const channels = new Map(
    [...world.account.channels.values()].map((channel) => [Number(channel.channel_id), channel.channel_name]),
  )
  const all = Array.from({ length: 6_000 }, (_, index) => world.incidents.record(index) as Read)
  const channelOf = ({ channel_id }: Read) => channels.get(Number(channel_id)) ?? ''
  const share = (of: readonly Read[], is: (one: Read) => boolean) => of.filter(is).length / of.length
  const before = all.filter(({ start_time }) => start_time < TURN)
  const since = all.filter(({ start_time }) => start_time >= TURN)

  const isSurge = (one: Read) => channelOf(one) === 'Logistics (production)'
  expect(share(since, isSurge) / share(before, isSurge)).toBeGreaterThan(2.2)
  expect(share(since, isSurge) / share(before, isSurge)).toBeLessThan(3.8)

  const isNight = ({ start_time }: Read) =>
    [22, 23, 0, 1, 2, 3, 4, 5].includes(Math.floor(start_time / 3_600) % 24)
  expect(share(since, isNight) / share(before, isNight)).toBeLessThan(0.7)

  const isInTime = (one: Read) =>
    one.ack_time > 0 && one.ack_time - one.start_time <= GOAL_S[one.incident_severity]!
  const judged = all.filter((one) => one.incident_severity in GOAL_S && !one.ever_muted)
  const isCheckout = (one: Read) => channelOf(one).startsWith('Checkout')
  expect(share(judged.filter(isCheckout), isInTime)).toBeLessThan(0.5)
  const elsewhere = share(
    judged.filter((one) => !isCheckout(one)),
    isInTime,
  )
  expect(elsewhere).toBeGreaterThan(0.7)
  expect(elsewhere).toBeLessThan(0.85)

  const waiting = all.filter(
    ({ progress, incident_severity }) => progress === 'Triggered' && incident_severity === 'Critical',
  )
  const forgotten = waiting.filter(({ start_time }) => start_time < ANCHOR - 1_800)
  expect(forgotten.map(({ title, ack_time }) => [title.slice(0, 15), ack_time])).toEqual([
    ['payment-gateway', 0],
  ])
  expect(all.filter(({ title }) => /[<>=\u001b\u202e{]/.test(title))).toEqual([])
})

test.each([0, 1, 40, 2_000, 100_000])('the demo company can have %i incidents', (incidents) => {
  const world = buildWorld({ seed: 1, incidents, anchor: ANCHOR, world: 'meridian' }, sandboxClock(ANCHOR))
  for (let index = 0; index < world.incidents.count(); index += 1 + Math.floor(incidents / 3_000))
    expect(world.incidents.record(index)).toHaveProperty('title')
})
