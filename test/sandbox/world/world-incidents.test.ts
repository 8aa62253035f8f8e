import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { sandboxClock } from '../../../src/sandbox/clock.ts'
import { buildWorld } from '../../../src/sandbox/world/build-world.ts'
import { DAY, type Json, NOW, open } from '../../support/sandbox.ts'

/** All incidents of a company, read once for several tests. */
let read: Promise<{ rows: Json[]; now: number }> | undefined
function company() {
  read ??= open({ incidents: 6_000 }).then(async (service) => ({
    rows: await service.truth(),
    now: service.now(),
  }))
  return read
}

describe('the incidents of a sandbox', () => {
  test('have an updated_at that changes if and only if the incident changes', () => {
    const clock = sandboxClock(NOW)
    const { incidents } = buildWorld({ seed: 5, incidents: 250, anchor: NOW }, clock)
    for (let i = 0; i < 250; i++) {
      let old = ''
      let from = 0
      for (let after = 600; after < 200 * DAY; after *= 1.12) {
        clock.set(Math.floor(incidents.startOf(i) + after))
        const text = incidents.isListed(i) ? incidents.json(i) : ''
        if (old !== '' && text !== '') {
          const [before, now] = [old, text].map((one) => Number(/"updated_at":(\d+)/.exec(one)![1]))
          if (text === old) expect(now).toBe(before)
          else expect({ old, text }).toSatisfy(() => now! > from && now! <= clock.now())
        }
        old = text
        from = clock.now()
      }
    }
  })

  test('that are closed for good never reopen, even if the clock was set back', () => {
    const clock = sandboxClock(NOW)
    const { incidents } = buildWorld({ seed: 6, incidents: 3_000, anchor: NOW, late: 0.2 }, clock)
    const days = [400, 0, 30, 90, 400, 10, 200]
    const openAt = new Map<number, Set<number>>()
    const closedAt = new Map<number, number[]>()
    for (const day of days) {
      clock.set(NOW - 60 * DAY + day * DAY)
      const all = Array.from({ length: 2_000 }, (_, index) => index)
      openAt.set(day, new Set(all.filter((index) => incidents.record(index).progress !== 'Closed')))
      closedAt.set(day, all.filter(incidents.isClosedForGood))
    }
    for (const [day, closed] of closedAt) {
      // Over 90% of the closed incidents are closed for good, and none of them is open then or later.
      expect(closed.length).toBeGreaterThan(0.9 * (2_000 - openAt.get(day)!.size))
      for (const later of days.filter((one) => one >= day))
        expect(closed.filter((index) => openAt.get(later)!.has(index))).toEqual([])
    }
  })

  test('depend only on the seed, the size and the clock, not on the order of requests', () => {
    const world = () => buildWorld({ seed: 8, incidents: 20_000, anchor: NOW }, sandboxClock(NOW)).incidents
    const [forward, backward] = [world(), world()]
    const count = forward.count()
    const texts = new Map<number, string>()
    for (let i = 0; i < count; i += 97) texts.set(i, forward.json(i))
    for (let i = backward.count() - 1; i >= 0; i--) {
      // Building all incidents evicts the cached incidents.
      backward.isListed(i)
      if (texts.has(i)) expect(backward.json(i)).toBe(texts.get(i))
    }
    for (const [i, text] of texts) expect(forward.json(i)).toBe(text)
  })

  test('have the same state at a given time, whatever steps the clock took', async () => {
    const service = await open({ incidents: 800 })
    const first = await service.truth()
    await service.advance(40 * DAY)
    const later = await service.truth()
    expect(later.length).toBeGreaterThan(first.length)
    await service.advance(-40 * DAY)
    expect(await service.truth()).toEqual(first)
    const other = await open({ incidents: 800 })
    for (let k = 0; k < 8; k++) await other.advance(5 * DAY)
    expect(await other.truth()).toEqual(later)
  })

  test('go through every kind of change, such as reopened or merged', () => {
    const clock = sandboxClock(NOW)
    const { incidents } = buildWorld({ seed: 3, incidents: 1_200, anchor: NOW }, clock)
    const seen = new Set<string>()
    for (let i = 0; i < 1_200; i++) {
      let old: Json
      for (let after = 60; after < 200 * DAY; after *= 1.4) {
        clock.set(Math.floor(incidents.startOf(i) + after))
        const row = incidents.isListed(i) ? JSON.parse(incidents.json(i)) : undefined
        if (old !== undefined && row === undefined) seen.add('vanished')
        for (const [name, happened] of Object.entries(EVENTS)) {
          if (old !== undefined && row !== undefined && happened(old, row)) seen.add(name)
        }
        old = row
      }
    }
    expect([...seen].sort()).toEqual([...Object.keys(EVENTS), 'vanished'].sort())
  })

  test('keep the id of a linked post-mortem, which can be read by id', () => {
    const clock = sandboxClock(NOW)
    // With few incidents over many years, most reports are written before the next incident starts.
    const world = buildWorld({ seed: 4, incidents: 50, anchor: NOW }, clock)
    const known = new Map<string, string>()
    for (let day = 0; day < 25 * 365; day++) {
      clock.set(NOW + day * DAY)
      const count = world.incidents.count()
      for (let i = count - 12; i < count; i++) {
        const { incident_id, post_mortem_id } = world.incidents.record(i)
        const before = known.get(incident_id)
        if (before !== undefined) expect(post_mortem_id).toBe(before)
        if (post_mortem_id === '' || !world.incidents.isListed(i)) continue
        known.set(incident_id, post_mortem_id)
        expect(world.postMortem(post_mortem_id)?.meta.incident_ids).toContain(incident_id)
      }
    }
    expect(known.size).toBeGreaterThan(20)
    // Some reports cover two incidents.
    expect(new Set(known.values()).size).toBeLessThan(known.size)
  })

  test('have no times in the future or in the wrong order', async () => {
    const { rows, now } = await company()
    for (const row of rows) {
      const times = [row.start_time, row.created_at, row.last_time, row.updated_at]
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect(row.updated_at).toBeLessThanOrEqual(now)
      for (const time of [row.ack_time, row.close_time, row.end_time]) {
        if (time !== 0) expect(time).toBeGreaterThanOrEqual(row.created_at)
        expect(time).toBeLessThanOrEqual(row.updated_at)
      }
      expect(row.close_time === 0).toBe(row.progress !== 'Closed')
      expect(row.num).toBe(row.incident_id.slice(-6).toUpperCase())
    }
  })

  test('match the requested number and cover 28 weeks', async () => {
    const { rows } = await company()
    expect(rows.length).toBeGreaterThan(5_900)
    expect(rows.length).toBeLessThanOrEqual(6_000)
    const first = Math.min(...rows.map((row) => row.start_time))
    expect(first).toBeGreaterThan(NOW - 197 * DAY)
    expect(first).toBeLessThan(NOW - 195 * DAY)
    const share = (test: (row: Json) => boolean) => rows.filter(test).length / rows.length
    expect(share((row) => row.incident_severity === 'Critical')).toBeGreaterThan(0.03)
    expect(share((row) => row.incident_severity === 'Ok')).toBeLessThan(0.03)
    expect(share((row) => row.deleted_at !== 0)).toBeGreaterThan(0)
    expect(share((row) => row.creator_id !== 0)).toBeGreaterThan(0.01)
    expect(share((row) => row.channel_id === 0)).toBeGreaterThan(0.005)
    expect(share((row) => typeof row.responders[0]?.person_id === 'bigint')).toBeGreaterThan(0)
    expect(share((row) => row.title.includes('<script>') || row.title.includes('\u202e'))).toBeGreaterThan(0)
    const bytes = rows.reduce((sum, row) => sum + JSON.stringify(row, plain).length, 0) / rows.length
    expect(bytes).toBeGreaterThan(1_700)
  })
})

test('renaming a channel in the sandbox immediately changes the channel name in incidents', async () => {
  const service = await open({ seed: 3 })
  const list = async () =>
    (await service.post('/incident/list', { start_time: NOW - 20 * DAY, end_time: NOW, limit: 100 })).body
      .data.items as Json[]
  const { channel_id } = (await list()).find((row) => row.channel_id !== 0)
  for (const channel_name of ['Žluťoučký "kůň" \\ 馬', 'plain']) {
    await service.post('/channel/update', { channel_id, channel_name })
    const rows = (await list()).filter((row) => row.channel_id === channel_id)
    expect(rows.length).toBeGreaterThan(0)
    expect(new Set(rows.map((row) => row.channel_name))).toEqual(new Set([channel_name]))
  }
})

test('sandbox incidents have the statuses, assignments and images that the API documents', async () => {
  const { rows } = await company()
  expect(rows.filter((row) => row.incident_status === 'Ok' && row.active_alert_cnt > 0)).toEqual([])
  const types = new Set(rows.map((row) => row.assigned_to.type))
  expect([...types].sort()).toEqual(['assign', 'escalate', 'reassign', 'reopen'])
  const withImages = rows.filter((row) => row.images !== null)
  expect(withImages.length).toBeGreaterThan(100)
  expect(withImages.length).toBeLessThan(rows.length / 5)
  for (const { images } of withImages) expect(images[0].src).toMatch(/^https:/)
})

test('a sandbox channel closes an incident once its alerts recover, unless automatic closing is disabled', async () => {
  const service = await open({ incidents: 6_000 })
  const channels = new Map<unknown, Json>()
  for (const channel of (await service.control('state')).channels) channels.set(channel.channel_id, channel)
  const seen = { itself: 0, byHand: 0 }
  for (let step = 0; step < 2; step++, await service.advance(2 * DAY)) {
    for (const row of await service.truth()) {
      if (row.end_time === 0) continue
      const isDisabled = channels.get(row.channel_id)?.disable_auto_close === true
      if (isDisabled) {
        // Before the alerts recovered, only a member may have closed the incident.
        if (row.progress === 'Closed' && row.close_time >= row.end_time) {
          expect([row.incident_id, row.closer_id]).not.toEqual([row.incident_id, 0])
          seen.byHand++
        }
      } else if (row.close_time === 0 || row.close_time >= row.end_time) {
        expect([row.incident_id, row.progress, row.close_time - row.end_time, row.closer_id]).toEqual([
          row.incident_id,
          'Closed',
          0,
          0,
        ])
        seen.itself++
      }
    }
  }
  expect(seen.itself).toBeGreaterThan(1_000)
  expect(seen.byHand).toBeGreaterThan(1_000)
  expect(service.now()).toBe(NOW + 4 * DAY)
})

const EVENTS: Record<string, (old: Json, row: Json) => boolean> = {
  acknowledged: (old, row) => old.ack_time === 0 && row.ack_time !== 0,
  unacknowledged: (old, row) => old.ack_time !== 0 && row.ack_time === 0,
  closed: (old, row) => old.progress !== 'Closed' && row.progress === 'Closed',
  reopened: (old, row) => old.progress === 'Closed' && row.progress !== 'Closed',
  snoozed: (old, row) => old.snoozed_before === 0 && row.snoozed_before !== 0,
  woken: (old, row) => old.snoozed_before !== 0 && row.snoozed_before === 0,
  recovered: (old, row) => old.end_time === 0 && row.end_time !== 0 && row.incident_status === 'Ok',
  severity_edited: (old, row) => old.incident_severity !== row.incident_severity,
  explained: (old, row) => old.root_cause === '' && row.root_cause !== '',
  linked: (old, row) => old.post_mortem_id === '' && row.post_mortem_id !== '',
  deleted: (old, row) => old.deleted_at === 0 && row.deleted_at !== 0,
  escalated: (old, row) => row.responders.length > old.responders.length,
  merged: (old, row) => old.alert_cnt > 0 && row.alert_cnt === 0,
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

test('an empty sandbox gains incidents as the clock advances', async () => {
  const service = await open({ incidents: 0 })
  expect(await service.truth()).toEqual([])
  await service.advance(3 * 365 * DAY)
  expect((await service.truth()).length).toBeGreaterThan(0)
  await service.advance(-3 * 365 * DAY)
  expect(await service.truth()).toEqual([])
})

test('a sandbox on a port in use fails with the port number', async () => {
  const { port } = await open({ incidents: 10 })
  const error = await open({ port }).catch((one) => one)
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toContain(String(port))
  expect(error.next).toContain('port')
})

test('an invalid sandbox option is rejected with the name of the option', async () => {
  await expect(open({ incidents: -1 })).rejects.toThrow(/incidents/)
  await expect(open({ incidents: 1.5 })).rejects.toThrow(/incidents/)
  await expect(open({ now: 0 })).rejects.toThrow(/now/)
  await expect(open({ seed: 2 ** 40 })).rejects.toThrow(/seed/)
  await expect(open({ port: 65_536 })).rejects.toThrow(/port/)
  await expect(open({ latencyMs: -1 })).rejects.toThrow(/latency/)
  await expect(open({ faults: { status_418: 1 } as object })).rejects.toThrow(/faults.*status_418/)
  const error = await open({ faults: { reset: 2 } }).catch((one) => one)
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toMatch(/faults: reset/)
})
