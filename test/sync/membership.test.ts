import { describe, expect, test } from 'vitest'
import { nightsOf } from '../attacks/night.ts'
import { DAY, epoch, type FakeService, fakeService, incident, member } from '../support/service.ts'

const { rows, sync } = nightsOf()

type Data = Record<string, unknown> & { items: Record<string, unknown>[]; total: number }

const stored = async (where = 'true') =>
  (await rows(`select count(*)::int as n from incidents where ${where}`))[0]!.n as number

/** A company with 400 incidents over 100 days, so the first sync has eight windows of 50 each. */
function company(): FakeService {
  const service = fakeService()
  service.incidents = Array.from({ length: 400 }, (_, index) => incident(index * 6))
  return service
}

function through(
  service: FakeService,
  change: (name: string, input: Data, data: Data) => unknown,
): FakeService {
  const own = fakeService()
  service.before = async (name, input, signal) => {
    Object.assign(own, { incidents: service.incidents, members: service.members })
    const { data } = await own.client.read(name as never, input as never, { ...(signal ? { signal } : {}) })
    return change(name, input as Data, data as Data)
  }
  return service
}

describe('a window of incidents', () => {
  test('is unverified if a cache returns an identical response to every request', async () => {
    const service = company()
    const first = new Map<string, Data>()
    const { client } = through(service, (name, _, data) => {
      const given = first.get(name) ?? data
      first.set(name, given)
      return given
    })
    const read: typeof client.read = async (name, input, options) => {
      const reply = await client.read(name, input, options)
      return name === 'incident/list' ? { ...reply, requestId: 'always the same' } : reply
    }
    const night = await sync({ ...service, client: { ...client, read } })
    expect(night).toMatchObject({ status: 'partial', complete: true })
    expect(night.failures).toEqual([
      {
        resource: 'incidents',
        message: expect.stringMatching(
          /^7 of 8 windows are unverified: 1 of 357 records were returned, 356 were not requested\. A cache or proxy probably repeats one answer/,
        ),
        next: expect.stringContaining('--accept-unproven'),
      },
    ])
    expect(await stored()).toBe(51)
    service.before = () => undefined
    expect(await sync(service, 1)).toMatchObject({ status: 'ok', failures: [] })
    expect(await stored()).toBe(400)
  })

  test('is unverified if pages are shifted, even if the number of rows matches the total', async () => {
    const service = company()
    let before: Data['items'][number] | undefined
    through(service, (name, _, data) => {
      if (name !== 'incident/list') return data
      const last = data.items.at(-1)
      const items = before === undefined ? data.items : [before, ...data.items.slice(0, -1)]
      before = last
      return { ...data, items }
    })
    const night = await sync(service)
    expect(night.status).toBe('partial')
    expect(night.failures[0]!.message).toMatch(/A proxy or the service probably shifts pages/)
    service.before = () => undefined
    expect(await sync(service, 1)).toMatchObject({ status: 'ok' })
    expect(await stored()).toBe(400)
  })

  test('is unverified if the service ignores the requested range', async () => {
    const service = company()
    through(service, (name, _, data) =>
      name === 'incident/list'
        ? {
            ...data,
            items: data.items.map((one) => ({ ...one, start_time: Number(one.start_time) - 400 * DAY })),
          }
        : data,
    )
    const night = await sync(service)
    expect(night.status).toBe('partial')
    expect(night.failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^8 of 8 windows are unverified: .*ignores the window of a request\.$/),
    ])
    expect(await stored()).toBe(400)
  })

  test('is verified even if a record starts one second outside the requested range', async () => {
    const service = company()
    service.incidents.push(incident(9_000, { start_time: epoch - 1 }))
    let asked = 0
    through(service, (name, input, data) => {
      if (name !== 'incident/list' || Number(input.start_time) > epoch) return data
      asked += 1
      return asked > 1 ? data : { ...data, items: data.items.slice(1) }
    })
    expect(await sync(service)).toMatchObject({ status: 'ok' })
    expect(asked).toBe(2)
    expect(await stored()).toBe(401)
  })

  test('is unverified if every window ends after exactly one full page', async () => {
    const service = fakeService()
    service.incidents = Array.from({ length: 2_400 }, (_, index) => incident(index))
    through(service, (name, _, data) =>
      name === 'incident/list' && data.total > 100
        ? { ...data, total: 100, has_next_page: false, search_after_ctx: undefined }
        : data,
    )
    const night = await sync(service)
    expect(night).toMatchObject({ status: 'partial', complete: true })
    expect(night.failures.map(({ message }) => message)).toEqual([
      '8 of 8 windows are unverified: all end at exactly one full page of 100. A proxy or the service probably truncates every answer.',
    ])
    service.before = () => undefined
    expect(await sync(service, 1)).toMatchObject({ status: 'ok' })
    expect(await stored()).toBe(2_400)
  })
})

test('a record of another account is rejected, and makes its window unverified', async () => {
  const service = company()
  const taken = service.incidents.splice(
    120,
    2,
    incident(720, { account_id: 2 }),
    incident(726, { account_id: 2 }),
  )
  const night = await sync(service)
  expect(night).toMatchObject({ status: 'partial', quarantined: 2 })
  expect(night.failures[0]!.message).toMatch(/2 belong to another account/)
  expect(await stored()).toBe(398)
  expect(await rows('select path, reason from quarantine')).toEqual(
    Array(2).fill({ path: 'account_id', reason: 'belongs to account 2, not to that of the app key (1)' }),
  )
  service.incidents.splice(120, 2, ...taken)
  expect(await sync(service, 1)).toMatchObject({ status: 'ok' })
  expect(await stored()).toBe(400)
  expect(await rows('from quarantine')).toEqual([])
})

describe('a response about ids that were not requested', () => {
  test('does not count for the requested ids, so no id is marked missing', async () => {
    const service = company()
    for (const [index, one] of service.incidents.entries())
      Object.assign(one, { channel_id: 1 + (index % 5) })
    service.addChannels([1, 2, 3, 4, 5], () => 0)
    await sync(service)
    service.before = (name) => (name === 'channel/info' ? service.channels.get('1') : undefined)
    const night = await sync(service, 8)
    expect(night).toMatchObject({ status: 'partial', vanished: 0 })
    expect(night.failures).toMatchObject([
      { resource: 'channels', message: expect.stringMatching(/^the records are unverified/) },
    ])
    service.before = () => undefined
    expect(await sync(service, 9)).toMatchObject({ status: 'ok', vanished: 0 })
  })
})

describe('the list of members', () => {
  const people = (count: number) => Array.from({ length: count }, (_, index) => member(index + 1))
  const named = async () => (await rows('from members where vanished_at is null')).length

  test('is read again if members leave during the read, so that no member is missed', async () => {
    const service = fakeService()
    service.members = people(1_000)
    let left = 0
    service.before = (name, input) => {
      if (name === 'member/list' && Number(input.p) > 1 && left++ < 5) service.members.splice(0, 1)
      return undefined
    }
    expect(await sync(service)).toMatchObject({ status: 'ok' })
    expect(service.members).toHaveLength(995)
    const ids = await rows('select member_id as id from members order by id')
    expect(ids.map(({ id }) => id)).toEqual(
      expect.arrayContaining(service.members.map(({ member_id }) => member_id)),
    )
  })

  test('stays unverified if its order keeps changing, until a person accepts the list', async () => {
    const service = fakeService()
    service.members = people(1_000)
    service.before = (name, input) => {
      if (name !== 'member/list') return undefined
      const turned = Number(input.p) % 2 === 0 ? service.members.toReversed() : service.members
      const at = (Number(input.p) - 1) * 100
      return { p: input.p, limit: 100, total: 1_000, items: turned.slice(at, at + 100) }
    }
    const night = await sync(service)
    expect(night.failures).toEqual([
      expect.objectContaining({
        resource: 'members',
        message:
          'the records are unverified: 500 of 1,000 records were returned. The order of the records probably changes between pages, so that some are returned twice and others never.',
      }),
    ])
    expect(night.status).toBe('partial')
    expect((await sync(service, 1)).status).toBe('partial')
    expect(await sync(service, 2, { acceptUnproven: true })).toMatchObject({ status: 'ok', failures: [] })
    expect(await sync(service, 3)).toMatchObject({ status: 'ok', failures: [] })
    const windows = await rows(
      `select state, message from sync_windows where resource = 'members' order by run_id`,
    )
    expect(windows.map(({ state }) => state)).toEqual(['unproven', 'unproven', 'accepted', 'accepted'])
    service.before = () => undefined
    await sync(service, 4)
    expect(await named()).toBe(1_000)
  })
})

test('a wrong total that a person accepted does not cover a total that is wrong by more', async () => {
  const service = company()
  let missing = 2
  through(service, (name, _, data) =>
    name === 'incident/list' ? { ...data, total: data.total + missing } : data,
  )
  expect(await sync(service)).toMatchObject({ status: 'partial' })
  expect(await sync(service, 0, { acceptUnproven: true })).toMatchObject({ status: 'ok' })
  expect(await rows('select sum(row_count)::int as n from sync_accepted')).toEqual([{ n: 16 }])
  // The accepted deviation also covers windows that are read again.
  expect(await sync(service, 1)).toMatchObject({ status: 'ok', failures: [] })
  missing = 20
  const night = await sync(service, 2)
  expect(night.status).toBe('partial')
  expect(night.failures).toHaveLength(1)
})
