import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, type Json, NOW, open, readAll, type Talk } from '../../support/sandbox.ts'

let service: Talk
let truth: Json[]
let channels: Map<number | bigint, Json>
beforeAll(async () => {
  service = await open({ incidents: 3_000 })
  truth = await service.truth()
  channels = new Map((await service.control('state')).channels.map((one: Json) => [one.channel_id, one]))
})

/** An independent implementation of the filters over plain records, as the API document defines them. */
const RULES: Record<string, (row: Json, value: Json) => boolean> = {
  is_snoozed: (row, on) => !on || row.snoozed_before > NOW,
  ever_muted: (row, on) => !on || row.ever_muted,
  is_rare: (row, on) => !on || row.frequency === 'rare',
  progress: (row, list) => list.split(',').includes(row.progress),
  incident_severity: (row, list) => list.split(',').includes(row.incident_severity),
  channel_ids: (row, ids) => ids.includes(row.channel_id),
  team_ids: (row, ids) => ids.includes(channels.get(row.channel_id)?.team_id),
  responder_ids: (row, ids) => row.responders.some((one: Json) => ids.includes(one.person_id)),
  acker_ids: (row, ids) =>
    row.responders.some((one: Json) => one.acknowledged_at !== 0 && ids.includes(one.person_id)),
  creator_ids: (row, ids) => ids.includes(row.creator_id),
  closer_ids: (row, ids) => row.close_time !== 0 && ids.includes(row.closer_id),
  incident_ids: (row, ids) => ids.includes(row.incident_id),
  nums: (row, nums) => nums.includes(row.num),
  query: (row, word) => {
    if (/^[0-9A-F]{6}$/.test(word)) return row.num === word
    if (/^[0-9a-f]{24}$/.test(word)) return row.incident_id === word
    const text = [row.title, row.description, ...Object.values(row.labels)].join('\n').toLowerCase()
    return text.includes(word.trim().toLowerCase())
  },
}

function filters(): fc.Arbitrary<Record<string, Json>> {
  const of = (pick: (row: Json) => Json[]) =>
    fc
      .array(fc.nat(truth.length - 1), { minLength: 1, maxLength: 5 })
      .map((places) => places.flatMap((place) => pick(truth[place])))
      .filter((list) => list.length > 0)
  const words = (list: string[]) => fc.subarray(list, { minLength: 1 }).map((some) => some.join(','))
  return fc.record(
    {
      is_snoozed: fc.boolean(),
      ever_muted: fc.boolean(),
      is_rare: fc.boolean(),
      progress: words(['Triggered', 'Processing', 'Closed']),
      incident_severity: words(['Critical', 'Warning', 'Info']),
      channel_ids: of((row) => [row.channel_id]),
      team_ids: of((row) => (row.channel_id === 0 ? [] : [channels.get(row.channel_id).team_id])),
      responder_ids: of((row) => row.responders.map((one: Json) => one.person_id)),
      acker_ids: of((row) => row.responders.map((one: Json) => one.person_id)),
      creator_ids: of((row) => [row.creator_id]),
      closer_ids: of((row) => [row.closer_id]),
      incident_ids: of((row) => [row.incident_id]),
      nums: of((row) => [row.num]),
      query: of((row) => [
        row.title,
        row.labels.service ?? 'report',
        row.num,
        row.incident_id,
        'LATENCY',
      ]).map((list) => list[list.length >> 1]),
    },
    { requiredKeys: [] },
  )
}

function expected(from: number, to: number, filter: Record<string, Json>): string[] {
  return truth
    .filter((row) => row.start_time >= from && row.start_time < to)
    .filter((row) => Object.entries(filter).every(([name, value]) => RULES[name]!(row, value)))
    .sort((a, b) => a.start_time - b.start_time || (a.incident_id < b.incident_id ? -1 : 1))
    .map((row) => row.incident_id)
}

describe('incident/list of the sandbox', () => {
  test('returns exactly the incidents that match any combination of filters', async () => {
    await fc.assert(
      fc.asyncProperty(filters(), fc.integer({ min: 1, max: 180 }), async (filter, age) =>
        agrees(filter, age),
      ),
      { numRuns: 25 },
    )
  })

  async function agrees(filter: Record<string, Json>, age: number): Promise<void> {
    const start_time = NOW - age * DAY
    const window = { start_time, end_time: start_time + 31 * DAY, limit: 100, asc: true }
    const want = expected(window.start_time, window.end_time, filter)
    const { items, total } = await readAll(service, { ...window, ...filter })
    expect(items.map((row) => row.incident_id)).toEqual(want)
    expect(total).toBe(Math.min(1_000, want.length))
  }
})
