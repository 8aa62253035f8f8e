import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ContractError, NetworkError, ServiceError } from '../../src/errors.ts'
import type { Page } from '../../src/sync/page.ts'
import { createIdReader } from '../../src/sync/refused-ids.ts'
import { DAY } from '../support/service.ts'
import { filled, running, start } from './running.ts'

type State = 'found' | 'gone' | Error

const fault = (code: string, status: number) =>
  new ServiceError(`team/infos: ${code}`, {
    operation: 'team/infos',
    code,
    status,
    requestId: 'r',
    next: 'Look.',
  })
const denied = () => fault('AccessDenied', 403)
const tooLarge = () =>
  new ContractError('team/infos: larger than 16 MB', {
    operation: 'team/infos',
    issues: [{ path: '', message: 'larger than 16 MB' }],
    next: 'Ask for less.',
    smallerMayWork: true,
  })

/** Reads ids from a made-up service. A request that includes an id with an error fails with that error. */
async function read(states: Readonly<Record<string, State>>, { batch = 1, known = [] as string[] } = {}) {
  const asked: (readonly string[])[] = []
  const reader = createIdReader(
    async (ids) => {
      asked.push(ids)
      for (const id of ids) if (states[id] instanceof Error) throw states[id]
      const items = ids.filter((id) => states[id] === 'found')
      const missing = ids.filter((id) => states[id] === 'gone')
      return { items, requestId: 'r', serviceTime: null, cursor: null, total: null, checked: ids, missing }
    },
    async () => known,
  )
  const pages: Page[] = []
  let failure: unknown
  try {
    const ids = Object.keys(states).filter((id) => !known.includes(id))
    for await (const page of reader.read(ids, batch)) pages.push(page)
  } catch (error) {
    failure = error
  }
  return {
    asked,
    failure,
    found: pages.flatMap(({ items }) => items),
    missing: pages.flatMap(({ missing = [] }) => missing),
    denied: pages.flatMap((page) => page.denied ?? []),
    refused: pages.flatMap(({ refused = [] }) => refused),
  }
}

describe('a failed request for ids', () => {
  test.each([
    ['403 for a private record', denied(), { denied: ['b'] }],
    [
      '404 with another code',
      fault('TeamNotFound', 404),
      { refused: [{ id: 'b', reason: 'the service answered TeamNotFound (HTTP 404)' }] },
    ],
    [
      '404 without a code',
      fault('HTTP 404', 404),
      { refused: [{ id: 'b', reason: 'the service answered HTTP 404' }] },
    ],
    [
      '400 because of the id',
      fault('InvalidParameter', 400),
      { refused: [{ id: 'b', reason: 'the service answered InvalidParameter (HTTP 400)' }] },
    ],
    ['ResourceNotFound', fault('ResourceNotFound', 400), { missing: ['b'] }],
    [
      '500 until the deadline',
      fault('InternalError', 500),
      { refused: [{ id: 'b', reason: 'the service answered InternalError (HTTP 500)' }] },
    ],
    [
      'no answer until the deadline',
      new NetworkError('cut'),
      { refused: [{ id: 'b', reason: 'no complete answer' }] },
    ],
    [
      'a record larger than 16 MB',
      tooLarge(),
      { refused: [{ id: 'b', reason: 'the answer could not be read: larger than 16 MB' }] },
    ],
  ])('affects only the refused id: %s', async (_, error, expected) => {
    for (const batch of [1, 2, 3, 100]) {
      const result = await read({ a: 'found', b: error, c: 'found' }, { batch })
      expect(result).toMatchObject({
        failure: undefined,
        missing: [],
        denied: [],
        refused: [],
        found: ['a', 'c'],
        ...expected,
      })
    }
  })

  test.each([
    fault('Unauthorized', 401),
    fault('RouteNotFound', 404),
    fault('RequestTooFrequently', 429),
    new TypeError('a mistake of ours'),
  ])('marks no id as refused if the error concerns the request itself: %s', async (error) => {
    const result = await read({ a: 'found', b: error, c: 'found' })
    expect(result).toMatchObject({ failure: error, denied: [], refused: [], found: ['a'] })
  })
})

const ids = fc.uniqueArray(
  fc.integer({ min: 0, max: 400 }).map((id) => `i${id}`),
  { minLength: 1, maxLength: 150 },
)
const state = fc.oneof(
  { weight: 12, arbitrary: fc.constant<State>('found') },
  { weight: 2, arbitrary: fc.constant<State>('gone') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<State>(denied(), fault('X', 404), fault('InvalidParameter', 400), tooLarge()),
  },
)

test('each requested id is either found, missing, private or refused', async () => {
  const world = ids.chain((all) => fc.tuple(...all.map((id) => fc.tuple(fc.constant(id), state))))
  await fc.assert(
    fc.asyncProperty(world, fc.constantFrom(1, 7, 100), async (entries, batch) => {
      const states: Record<string, State> = { known: 'found', ...Object.fromEntries(entries) }
      const result = await read(states, { batch, known: ['known'] })
      if (result.failure !== undefined) {
        // The read may fail only after it has used all requests allowed for halving batches.
        expect(result.asked.length).toBeGreaterThan(200)
        return
      }
      const answered = [
        ...(result.found as string[]),
        ...result.missing,
        ...result.denied,
        ...result.refused.map(({ id }) => id),
      ]
      expect(answered.sort()).toEqual(entries.map(([id]) => id).sort())
      for (const id of result.denied) expect(states[id]).toMatchObject({ code: 'AccessDenied' })
      for (const { id } of result.refused) expect(states[id]).toBeInstanceOf(Error)
    }),
    { numRuns: 200 },
  )
})

describe('an app key without permission', () => {
  const all = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`i${index}`, denied() as State]))

  test('stops the requests after three refusals if an id that was readable before is also refused', async () => {
    const result = await read({ ...all, known: denied() }, { known: ['known'] })
    expect(result).toMatchObject({ failure: { code: 'AccessDenied' }, denied: [], refused: [] })
    expect(result.asked).toHaveLength(4)
  })

  test('stops the requests after 25 refusals if no id is known to be readable', async () => {
    const result = await read(all)
    expect(result).toMatchObject({ failure: { code: 'AccessDenied' }, denied: [], refused: [] })
    expect(result.asked).toHaveLength(25)
  })

  test('does not quarantine the ids of a batch', async () => {
    const result = await read({ ...all, known: denied() }, { batch: 100, known: ['known'] })
    expect(result).toMatchObject({ failure: { code: 'AccessDenied' }, denied: [], refused: [], missing: [] })
  })

  test('is ruled out if an id that was readable before still gets a response', async () => {
    const result = await read({ ...all, known: 'gone' }, { known: ['known'] })
    expect(result).toMatchObject({ failure: undefined })
    expect(result.denied).toHaveLength(60)
  })
})

test('requests by id end after two requests in an outage, because each may take minutes', async () => {
  const down = Object.fromEntries(
    ['a', 'b', 'c', 'known'].map((id) => [id, fault('InternalError', 500) as State]),
  )
  const result = await read(down, { known: ['known'] })
  expect(result).toMatchObject({ failure: { code: 'InternalError' }, refused: [] })
  expect(result.asked).toHaveLength(2)
})

test('a batch with refused ids is halved repeatedly, and fails once the limit of requests is reached', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [
      `i${index}`,
      (index % 2 ? fault('X', 404) : 'found') as State,
    ]),
  )
  const result = await read(many, { batch: 100 })
  expect(result.failure).toMatchObject({ code: 'X' })
  expect(result.asked.length).toBeLessThan(400)
  expect(result.found.length).toBeGreaterThanOrEqual(50)
})

describe('over several nights', () => {
  const { run, count, warehouse: _ } = running()

  function refusing(error: () => Error | undefined) {
    const service = filled()
    service.before = (name, input) => {
      const wrong = name === 'channel/info' && String(input.channel_id) === '7' ? error() : undefined
      if (wrong) throw wrong
      return undefined
    }
    return service
  }
  const asked = (service: ReturnType<typeof filled>) =>
    service.calls.filter(({ name, input }) => name === 'channel/info' && String(input.channel_id) === '7')
      .length

  test('a private channel makes no sync fail, and is requested once a week', async () => {
    let error: Error | undefined = denied()
    const service = refusing(() => error)
    expect(await run(service)).toMatchObject({ status: 'ok', quarantined: 0 })
    expect(await count('channels')).toBe(1)
    expect(await count('sync_checks where is_private')).toBe(1)
    const before = asked(service)
    for (const night of [1, 3, 6, 7]) expect((await run(service, start + night * DAY)).status).toBe('ok')
    expect(asked(service) - before).toBe(1)
    error = undefined
    for (const night of [8, 11, 14]) await run(service, start + night * DAY)
    expect(await count('channels')).toBe(2)
    expect(await count('sync_checks where is_private')).toBe(0)
  })

  test('a channel that the service cannot return is quarantined once, and requested every night', async () => {
    let error: Error | undefined = fault('NoSuchChannel', 404)
    const service = refusing(() => error)
    expect(await run(service)).toMatchObject({ status: 'partial', quarantined: 1 })
    expect(await run(service, start + DAY)).toMatchObject({ status: 'ok', quarantined: 0, stillWaiting: 1 })
    expect(await count('quarantine')).toBe(1)
    const before = asked(service)
    await run(service, start + 2 * DAY)
    expect(asked(service) - before).toBe(1)
    error = undefined
    expect(await run(service, start + 3 * DAY)).toMatchObject({ status: 'ok', stillWaiting: 0 })
    expect(await count('quarantine')).toBe(0)
    expect(await count('channels')).toBe(2)
  })

  test('a refused channel leaves the quarantine once it is missing', async () => {
    let error: Error = fault('NoSuchChannel', 404)
    const service = refusing(() => error)
    await run(service)
    error = fault('ResourceNotFound', 400)
    expect(await run(service, start + DAY)).toMatchObject({ status: 'ok', stillWaiting: 0 })
    expect(await count('quarantine')).toBe(0)
  })

  test('a team that makes its batch fail is requested separately from the next night on', async () => {
    const service = filled()
    service.addChannels([8, 9], (id) => 70 + Number(id))
    for (const id of [8, 9]) {
      service.incidents[id]!.channel_id = id
      service.teams.push({ team_id: 70 + id, team_name: `t${id}`, person_ids: [1] })
    }
    service.before = (name, input) => {
      if (name === 'team/infos' && (input.team_ids as number[]).includes(78)) throw fault('Broken', 400)
      return undefined
    }
    const teamCalls = () =>
      service.calls.filter(({ name }) => name === 'team/infos').map(({ input }) => input.team_ids)
    expect(await run(service)).toMatchObject({ status: 'partial', quarantined: 1 })
    expect(await count('teams where vanished_at is null')).toBe(2)
    const before = teamCalls().length
    expect(await run(service, start + DAY, { scope: { full: true } })).toMatchObject({
      status: 'ok',
      vanished: 0,
    })
    expect(teamCalls().slice(before)).toEqual([[70, 79], [78], [70]])
  })
})
