import { describe, expect, test } from 'vitest'
import type { createClient } from '../../src/client/client.ts'
import { ConfigError, ServiceError } from '../../src/errors.ts'
import { probe, windowsAtOnce } from '../../src/sync/probe.ts'
import { atOnce, standingTime } from '../support/clock.ts'
import { fakeService, refused } from '../support/service.ts'

const signal = new AbortController().signal
const effects = standingTime(99_000, atOnce)

function answering(members: readonly unknown[] | string, incidents: readonly unknown[] | string) {
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

describe('the account of an app key', () => {
  const both = ['member/list', 'incident/list']
  const big = 2n ** 62n
  const of = (account_id: number | bigint, more: object = {}) => ({ account_id, ...more })
  test.each([
    ['two members', [of(7), of(7)], 'not asked', undefined, 7n, ['member/list']],
    ['two members, with every digit', [of(big), of(big)], 'not asked', undefined, big, ['member/list']],
    ['an incident if there is no member', [], [of(7)], undefined, 7n, both],
    ['an incident if members may not be listed', 'AccessDenied', [of(big)], undefined, big, both],
    ['an incident that matches the configuration', 'AccessDenied', [of(7)], 7n, 7n, both],
    ['the configuration if there is no member', [], 'not asked', 8n, 8n, ['member/list']],
    ['the configuration if there is no incident', 'AccessDenied', [], 8n, 8n, both],
    ['the configuration if the incident has no account', 'AccessDenied', [{}], 8n, 8n, both],
    [
      'members who are not guests',
      [of(999, { is_external: true }), of(7), of(7)],
      'not asked',
      undefined,
      7n,
      ['member/list'],
    ],
    [
      'most members and incidents, if the first member belongs to another account',
      [of(999), of(7)],
      [of(7)],
      undefined,
      7n,
      both,
    ],
    [
      'incidents, if the only member belongs to another account',
      [of(999)],
      [of(7), of(7)],
      undefined,
      7n,
      both,
    ],
    ['incidents, if every member is a guest', [of(999, { is_external: true })], [of(7)], undefined, 7n, both],
    ['the configuration, if the only member belongs to another account', [of(999)], [of(8)], 8n, 8n, both],
    [
      'members whose other fields are invalid',
      [of(7, { member_name: null, created_at: -5 }), of(7), 'text', null],
      'not asked',
      undefined,
      7n,
      ['member/list'],
    ],
  ] as const)('is read from %s', async (_, members, incidents, accountId, found, wanted) => {
    const { client, asked } = answering(members, incidents)
    const known = { now: 5_000, accountId: found, roundTripMs: 0 }
    expect(await probe({ client, effects, signal, accountId })).toEqual(known)
    expect(asked).toEqual(wanted)
  })

  test.each([
    [[], []],
    [[], 'AccessDenied'],
    ['AccessDenied', []],
    [[{ account_id: 7 }], [{ account_id: 9 }]],
    [[{ account_id: '7' }], [{ account_id: 0 }]],
  ])(
    'cannot be determined if members and incidents are both inconclusive (%j, %j)',
    async (members, incidents) => {
      const { client } = answering(members, incidents)
      const error: unknown = await probe({ client, effects, signal }).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ConfigError)
      expect((error as ConfigError).next).toContain('`accountId`')
    },
  )

  test('is rejected if the records contradict the configured account', async () => {
    const { client } = answering([{ account_id: 7 }], [])
    await expect(probe({ client, effects, signal, accountId: 8n })).rejects.toThrow(
      'The app key belongs to account 7, but the configuration says 8.',
    )
  })

  test.each([
    ['Unauthorized', [], 'Unauthorized'],
    ['AccessDenied', 'AccessDenied', 'AccessDenied'],
    [[], 'InternalError', 'InternalError'],
  ])(
    'cannot be determined after a service error, which is passed on (%j, %j)',
    async (members, incidents, code) => {
      const { client } = answering(members, incidents)
      const error: unknown = await probe({ client, effects, signal }).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ServiceError)
      expect(error).toMatchObject({ code })
    },
  )
})

test('the round-trip time of the service is measured on the first response', async () => {
  const times = [1_000, 1_150, 9_000]
  const clock = { ...effects, now: () => times.shift() ?? 9_000 }
  const { client } = answering([], [{ account_id: 7 }])
  expect(await probe({ client, effects: clock, signal })).toMatchObject({ roundTripMs: 150 })
})

test('the number of parallel windows is twice the number of requests per round trip, between 8 and 32', () => {
  const asked = [0, 1, 80, 81, 150, 300, 320, 60_000].map(windowsAtOnce)
  expect(asked).toEqual([8, 8, 8, 9, 15, 30, 32, 32])
})
