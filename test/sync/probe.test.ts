import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { ConfigError, ServiceError } from '../../src/errors.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { probe, windowsAtOnce } from '../../src/sync/probe.ts'
import { atOnce, standingTime } from '../support/clock.ts'
import { fakeService, refused } from '../support/service.ts'

const NOW = 1_795_262_400
const signal = new AbortController().signal
const effects = standingTime(99_000, atOnce)

describe('over HTTP', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox({ now: NOW, incidents: 50, limits: false })
  })
  afterAll(() => sandbox.close())

  test.each(['all', 'incident view (on-call)'])(
    'the key %s tells its account and the clock',
    async (name) => {
      const appKey = sandbox.appKeys.find((one) => one.name === name)!.key
      const client = createClient({ baseUrl: sandbox.baseUrl, appKey, effects })
      const probed = await probe({ client, effects, signal })
      await client.close()
      expect(probed.accountId).toBe(2_451_002_751_131n)
      expect(probed.now).toBeGreaterThanOrEqual(NOW)
      expect(client.stats().requests).toBe(1)
    },
  )
})

/** A client whose lists answer as given: their items, or the code of a refusal. */
function answering(members: readonly object[] | string, incidents: readonly object[] | string) {
  const asked: string[] = []
  const answer = async (name: string) => {
    asked.push(name)
    const items = name === 'member/list' ? members : incidents
    if (typeof items === 'string') refused(name, items)
    return { data: { items }, requestId: 'r', bytes: 0, serviceTime: 5_000_000 }
  }
  const client = { ...fakeService().client, call: answer, read: answer } as ReturnType<typeof createClient>
  return { client, asked }
}

describe('the account is told by', () => {
  const both = ['member/list', 'incident/list']
  const big = 2n ** 62n
  test.each([
    ['a member', [{ account_id: 7 }], 'not asked', undefined, 7n, ['member/list']],
    ['a member, with every digit', [{ account_id: big }], 'not asked', undefined, big, ['member/list']],
    ['an incident, where there is no member', [], [{ account_id: 7 }], undefined, 7n, both],
    [
      'an incident, where members may not be listed',
      'AccessDenied',
      [{ account_id: big }],
      undefined,
      big,
      both,
    ],
    ['an incident, which the configuration agrees with', 'AccessDenied', [{ account_id: 7 }], 7n, 7n, both],
    ['the configuration, where there is no member', [], 'not asked', 8n, 8n, ['member/list']],
    ['the configuration, where there is no incident', 'AccessDenied', [], 8n, 8n, both],
    ['the configuration, where the incident says nothing', 'AccessDenied', [{}], 8n, 8n, both],
  ] as const)('%s', async (_, members, incidents, accountId, found, wanted) => {
    const { client, asked } = answering(members, incidents)
    const known = { now: 5_000, accountId: found, roundTripMs: 0 }
    expect(await probe({ client, effects, signal, accountId })).toEqual(known)
    expect(asked).toEqual(wanted)
  })

  test.each([
    [[], []],
    [[], 'AccessDenied'],
    ['AccessDenied', []],
  ])('nothing (%j, %j): what to set is said', async (members, incidents) => {
    const { client } = answering(members, incidents)
    const error: unknown = await probe({ client, effects, signal }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).next).toContain('`accountId`')
  })

  test('another than the configuration says is refused', async () => {
    const { client } = answering([{ account_id: 7 }], [])
    await expect(probe({ client, effects, signal, accountId: 8n })).rejects.toThrow(
      'The app key belongs to account 7, but the configuration says 8.',
    )
  })

  test.each([
    ['Unauthorized', [], 'Unauthorized'],
    ['AccessDenied', 'AccessDenied', 'AccessDenied'],
    [[], 'InternalError', 'InternalError'],
  ])('a refusal is told as it is (%j, %j)', async (members, incidents, code) => {
    const { client } = answering(members, incidents)
    const error: unknown = await probe({ client, effects, signal }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ code })
  })
})

test('the round trip is that of the first answer', async () => {
  const times = [1_000, 1_150, 9_000]
  const clock = { ...effects, now: () => times.shift() ?? 9_000 }
  const { client } = answering([], [{ account_id: 7 }])
  expect(await probe({ client, effects: clock, signal })).toMatchObject({ roundTripMs: 150 })
})

test('as many windows go side by side as twice the requests of a round trip, from 8 to 32', () => {
  const asked = [0, 1, 80, 81, 150, 300, 320, 60_000].map(windowsAtOnce)
  expect(asked).toEqual([8, 8, 8, 9, 15, 30, 32, 32])
})
