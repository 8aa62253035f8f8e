import { describe, expect, test } from 'vitest'
import { DAY, epoch, type FakeService, fakeService, incident } from '../support/service.ts'
import { NIGHT, nightsOf } from './night.ts'

const { rows, sync } = nightsOf()
const FUTURE = 4_294_967_295

function company(): FakeService {
  const service = fakeService()
  service.incidents = Array.from({ length: 100 }, (_, index) => incident(index * 24))
  return service
}

const titled = (title: string) => rows(`select incident_id from incidents where title = '${title}'`)
const waiting = () => rows('select path, reason from quarantine order by path')

describe.each([
  'start_time',
  'ack_time',
  'close_time',
  'end_time',
  'last_time',
  'created_at',
  'updated_at',
  'deleted_at',
])('an incident whose %s is in the future', (field) => {
  test('is quarantined until the service returns a correct time', async () => {
    const service = company()
    await sync(service)
    const good = service.incidents[95]!
    service.before = (name, input) => {
      if (name !== 'incident/list' || input.incident_ids || input.progress) return undefined
      const poisoned = { ...good, title: 'POISONED', [field]: FUTURE }
      return { items: [poisoned], total: 1, has_next_page: false }
    }
    const night = await sync(service, 1)
    expect(night.status).toBe('partial')
    expect(night.quarantined).toBe(1)
    expect(await titled('POISONED')).toEqual([])
    expect(await waiting()).toEqual([
      { path: field, reason: "2106-02-07T06:28:15.000Z is ahead of the service's clock" },
    ])
    service.before = () => undefined
    Object.assign(good, { title: 'WELL', updated_at: NIGHT })
    expect(await sync(service, 2)).toMatchObject({ status: 'ok', stillWaiting: 0 })
    expect(await titled('WELL')).toHaveLength(1)
    expect(await waiting()).toEqual([])
  })
})

test('a future time in a nested record quarantines an incident, but a future snooze time does not', async () => {
  const service = company()
  Object.assign(service.incidents[1]!, {
    responders: [{ person_id: 5, assigned_at: FUTURE, acknowledged_at: 0 }],
  })
  Object.assign(service.incidents[2]!, { snoozed_before: FUTURE })
  Object.assign(service.incidents[3]!, { updated_at: NIGHT + 60 })
  expect(await sync(service)).toMatchObject({ quarantined: 1 })
  expect(await waiting()).toMatchObject([{ path: 'responders.0.assigned_at' }])
})

test.each([{ full: false }, { full: true }])(
  'a sync replaces a record that an older version stored with a future updated_at (full: $full)',
  async ({ full }) => {
    const service = company()
    await sync(service)
    await rows(
      `update incidents set title = 'POISONED', _hash = 1, updated_at = '2100-01-01' where start_time > '2023-12-01' returning 1`,
    )
    expect((await titled('POISONED')).length).toBeGreaterThan(80)
    // Every night reads the last 31 days again, and `--full` reads everything.
    await sync(service, 1, { full })
    const left = await rows(
      `select incident_id from incidents where title = 'POISONED' and epoch(start_time) > ${NIGHT - 30 * DAY}`,
    )
    expect(left).toEqual([])
    if (full) expect(await titled('POISONED')).toEqual([])
  },
)

test('a sync updates an incident whose updated_at moved backwards since the previous sync', async () => {
  const service = company()
  await sync(service)
  Object.assign(service.incidents[95]!, { title: 'changed', updated_at: epoch })
  expect(await sync(service, 1)).toMatchObject({ replaced: 1 })
  expect(await titled('changed')).toHaveLength(1)
})

test('a sync with a clock ten years ahead does not make later syncs miss incidents', async () => {
  const service = company()
  await sync(service)
  expect(await sync(service, 3_650)).toMatchObject({ status: 'ok' })
  service.incidents.push(incident(101 * 24))
  for (let night = 2; night < 8; night++) {
    const run = await sync(service, night)
    expect(run).toMatchObject({ status: 'ok', asOf: NIGHT + night * DAY })
  }
  const [row] = await rows('select count(*)::int as n from incidents')
  expect(row!.n).toBe(101)
  // Each night, the sync reads one old month again. After four nights, it has read the rest of the first month and
  // three more months.
  const swept = await rows(
    `select distinct window_start from sync_windows where reason = 'sweep' and run_id > 2`,
  )
  expect(swept).toHaveLength(4)
})

test('a sync does not resume a killed run that started in the future', async () => {
  const service = company()
  await sync(service)
  service.before = () => {
    throw new Error('killed')
  }
  await expect(sync(service, 3_650)).rejects.toThrow('killed')
  service.before = () => undefined
  service.calls.length = 0
  expect(await sync(service, 1)).toMatchObject({ status: 'ok', asOf: NIGHT + DAY })
  // The killed run had planned windows of ten years.
  expect(service.calls.length).toBeLessThan(30)
})

test('a sync with a finish time in the future does not hide the as-of time of the next sync', async () => {
  const service = company()
  await sync(service)
  await rows(`update sync_runs set finished_at = '2099-01-01' returning run_id`)
  await sync(service, 1)
  expect(await rows('select run_id::int as run_id, epoch(as_of_at)::bigint as t from as_of')).toEqual([
    { run_id: 2, t: NIGHT + DAY },
  ])
})
