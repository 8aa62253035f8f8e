import { describe, expect, test } from 'vitest'
import { incidents } from '../../src/resources/incidents.ts'
import { DAY, epoch, fakeService, incident } from '../support/service.ts'
import { running } from './running.ts'

const WINDOWS = 8
const WINDOW_S = 20 * DAY
const edgeOf = (index: number) => epoch + index * WINDOW_S

describe.each([
  { start: true, end: false },
  { start: true, end: true },
  { start: false, end: true },
  { start: false, end: false },
])('for a service whose time windows include these boundaries (%j),', (edges) => {
  const { rows, run } = running()

  test('an incident at the boundary of two windows is read, and is marked missing after its deletion', async () => {
    const service = fakeService()
    service.edges = edges
    service.incidents = Array.from({ length: WINDOWS }, (_, index) =>
      incident(index, { num: `${index}`, start_time: edgeOf(index) }),
    )
    const sync = (now: number) =>
      run(service, now, {
        resources: [incidents],
        concurrency: 1,
        scope: { lookbackDays: 1_000, windowSeconds: WINDOW_S },
      })
    const now = epoch + WINDOWS * WINDOW_S
    expect((await sync(now)).status).toBe('ok')
    const stored = await rows('select num from incidents order by num')
    expect(stored.map(({ num }) => num)).toEqual(service.incidents.map(({ num }) => num))
    const asked = service.calls.map(({ input }) => [Number(input.start_time), Number(input.end_time)])
    expect(asked.map(([start]) => start)).toEqual(service.incidents.map((_, index) => edgeOf(index) - 1))
    for (const [start, end] of asked) expect(end! - start!).toBeLessThan(31 * DAY)

    const [gone] = service.incidents.splice(3, 1)
    expect((await sync(now + 1)).status).toBe('ok')
    expect(await rows('select num from incidents where vanished_at is not null')).toEqual([
      { num: gone!.num },
    ])
  })
})
