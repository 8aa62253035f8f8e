import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { realEffects } from '../../src/effects.ts'
import { NetworkError, ServiceError } from '../../src/errors.ts'
import { data, failure, mute, reset, type Step, text, truncated } from '../support/server.ts'
import { deadAddress, errorOf, hurried, LIST, until, withService } from './service-fixture.ts'

const items = data('{"items":[]}')

describe('a retry', () => {
  it.each([
    ['HTTP 429', failure(429, 'RequestTooFrequently')],
    ['HTTP 429 without an envelope', text(429, '')],
    ['a rate-limit code with status 400', failure(400, 'RequestTooFrequently')],
    ['HTTP 500', failure(500, 'InternalError')],
    ['an internal error with status 200', failure(200, 'InternalError')],
    ['HTTP 502 from a proxy', text(502, '<html>Bad gateway</html>')],
    ['HTTP 503', failure(503, 'SomethingNew')],
    ['HTTP 504', text(504, '')],
    ['a connection reset', reset],
    ['a body cut by a connection that breaks', truncated],
    ['a body cut by a connection that closes normally', text(200, '{"request_id":"r","data":{"items":[')],
    ['an empty body', text(200, '')],
  ])('recovers from %s', async (_, step) => {
    await withService([step, step, items], async (client, { seen }) => {
      expect((await client.call('team/infos', { team_ids: [1] })).data).toEqual({ items: [] })
      expect(seen).toHaveLength(3)
      expect(seen[2]?.body).toBe(seen[0]?.body)
      expect(client.stats()).toMatchObject({ requests: 3, retries: 2 })
    })
  })

  it('after a 429 delays all other requests until Retry-After has passed', async () => {
    const effects = { ...realEffects(), random: () => 0 }
    const refused = failure(429, 'RequestTooFrequently', '', { 'retry-after': '1' })
    await withService(
      [refused, items],
      async (client, { seen }) => {
        const first = client.read('team/infos', { team_ids: [1] })
        await until(() => client.stats().throttled === 1)
        const others = Array.from({ length: 4 }, () => client.read('team/infos', { team_ids: [2] }))
        await Promise.all([first, ...others])
        expect(seen).toHaveLength(6)
        for (const { at } of seen.slice(1)) expect(at - seen[0]!.at).toBeGreaterThanOrEqual(990)
        expect(seen[1]?.body).toBe(seen[0]?.body)
        expect(client.stats()).toMatchObject({ requests: 6, throttled: 1, retries: 1 })
      },
      { effects },
    )
  })
})

describe('the HTTP status of a response', () => {
  it.each([408, 425, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530])(
    'causes a retry if a proxy or gateway sent %i',
    async (status) => {
      await withService([text(status, '<html>Oh.</html>'), items], async (client, { seen }) => {
        await client.call('team/infos', { team_ids: [1] })
        expect(seen).toHaveLength(2)
      })
    },
  )

  it.each([404, 413, 501, 505, 528, 531])('causes no retry if it is %i', async (status) => {
    await withService([text(status, '<html>Oh.</html>'), items], async (client, { seen }) => {
      const error = await errorOf(client.call('team/infos', { team_ids: [1] }))
      expect(error).toMatchObject({ code: `HTTP ${status}`, next: expect.stringContaining('`baseUrl`') })
      expect(seen).toHaveLength(1)
    })
  })

  it('is reported as transient if it is 524, without advice about `baseUrl`', async () => {
    await withService([text(524, '<html>')], async (client) => {
      const error = await errorOf(client.call('team/infos', { team_ids: [1] }))
      expect(error.next).toMatch(/Run it again later/)
      expect(error.next).not.toContain('baseUrl')
    })
  })
})

describe('Retry-After', () => {
  it('may be a number of seconds or a date', async () => {
    const effects = hurried()
    const inTwenty = new Date(Date.now() + 20_000).toUTCString()
    const steps = [
      failure(429, 'RequestTooFrequently', '', { 'retry-after': '30' }),
      failure(503, 'Busy', '', { 'retry-after': inTwenty }),
      items,
    ]
    await withService(
      steps,
      async (client) => {
        // The second date is evaluated 30 s of skipped time later, so the client's own backoff is longer.
        await client.call('team/infos', { team_ids: [1] })
        expect(effects.waits[0]).toBeGreaterThan(29_000)
        expect(effects.waits[0]).toBeLessThanOrEqual(30_000)
      },
      { effects },
    )
  })

  it.each([
    ['an hour behind', -3_600_000],
    ['an hour ahead', 3_600_000],
    ['in 1970', -Date.now()],
  ])('is measured from the Date header of the response (local clock %s)', async (_, offMs) => {
    const effects = hurried()
    const now = effects.now
    const busy = failure(503, 'Busy', '', {
      date: 'Sat, 21 Nov 2026 12:00:00 GMT',
      'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT',
    })
    await withService(
      [busy, items],
      async (client) => {
        await client.call('team/infos', { team_ids: [1] })
        expect(effects.waits).toEqual([30_000])
      },
      { effects: Object.assign(effects, { now: () => now() + offMs }) },
    )
  })

  it.each([
    ['is missing', undefined],
    ['is malformed', 'noon'],
  ])('is measured from the local clock if the Date header %s', async (_, date) => {
    const effects = hurried()
    const busy: Step = (res, seen, count) => {
      res.sendDate = false
      const retryAfter = { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }
      failure(503, 'Busy', '', date === undefined ? retryAfter : { ...retryAfter, date })(res, seen, count)
    }
    await withService(
      [busy, items],
      async (client) => {
        await client.call('team/infos', { team_ids: [1] })
        expect(effects.waits).toEqual([30_000])
      },
      { effects: Object.assign(effects, { now: () => Date.parse('2026-11-21T12:00:00Z') }) },
    )
  })
})

describe('waiting for a retry', () => {
  it('ends at the deadline with an error that reports the number of attempts', async () => {
    const effects = hurried()
    await withService(
      [failure(500, 'InternalError')],
      async (client, { seen }) => {
        const error = await errorOf(client.read('incident/list', LIST))
        expect(error).toMatchObject({ code: 'InternalError', requestId: '01BODY' })
        expect(error.message).toMatch(/\(\d+ attempts in \d+ s\)$/)
        expect(seen.length).toBeGreaterThan(5)
        const waited = effects.waits.reduce((sum, ms) => sum + ms, 0)
        expect(waited).toBeGreaterThan(60_000)
        expect(waited).toBeLessThanOrEqual(180_000)
      },
      { effects },
    )
  })

  it.each([
    ['3000000', '; it asks to wait 35 days (request 01BODY)', 429],
    ['99999999999999999999', '; it asks to wait more than 100 years', 429],
    ['Thu, 01 Jan 2099 00:00:00 GMT', /; it asks to wait 2\d,\d\d\d days/, 503],
  ])(
    'ends immediately with an error that states the requested wait (Retry-After %s)',
    async (header, words, status) => {
      const step = failure(status, status === 429 ? 'RequestTooFrequently' : 'Busy', 'Oh.', {
        'retry-after': header,
      })
      await withService([step], async (client, { seen }) => {
        const error = await errorOf(client.read('incident/list', LIST))
        expect(error.message).toMatch(typeof words === 'string' ? words.slice(0, 30) : words)
        expect(error.next).toMatch(/ask the operators of the service/)
        expect(seen).toHaveLength(1)
      })
    },
  )

  it.each([
    [
      'an error',
      failure(500, 'InternalError', 'boom with the-key'),
      'incident/list: InternalError: boom with [redacted] (request 01BODY)',
    ],
    [
      'a rate limit',
      failure(429, 'RequestTooFrequently'),
      'incident/list: RequestTooFrequently: Oh. (request 01BODY)',
    ],
    ['a connection reset', reset, 'incident/list: no complete answer: other side closed'],
    ['a cut body', text(200, '{"a":'), 'incident/list: the answer was cut short'],
  ])('is reported with its reason after ten seconds: %s', async (_, step, problem) => {
    const told: string[] = []
    await withService(
      [step],
      async (client) => {
        await errorOf(client.read('incident/list', LIST))
        expect(told[0]).toMatch(/^Waiting for the service: /)
        expect(told[0]).toContain(problem)
        expect(Number(/Retrying for up to (\d+) s\.$/.exec(told[0]!)?.[1])).toBeGreaterThan(120)
        expect(told.length).toBeLessThan(5)
      },
      { onWait: (sentence) => told.push(sentence) },
    )
  })
})

describe('a write', () => {
  it.each([
    ['HTTP 500', failure(500, 'InternalError'), ServiceError],
    ['a connection reset', reset, NetworkError],
    ['a cut body', truncated, NetworkError],
    ['no answer', mute, NetworkError],
  ])('is not retried after %s, because the service may have acted', async (_, step, kind) => {
    await withService(
      [step],
      async (client, { seen }) => {
        const error = await errorOf(client.call('role/disable', { role_id: 9 }))
        expect(error).toBeInstanceOf(kind)
        expect(error.next).toContain('The service may have acted')
        expect(seen).toHaveLength(1)
      },
      { timeoutMs: 150 },
    )
  })

  it('is retried after a rejection by the rate limit', async () => {
    await withService([failure(429, 'RequestTooFrequently'), data('{}')], async (client, { seen }) => {
      await client.call('role/disable', { role_id: 9 })
      expect(seen).toHaveLength(2)
    })
  })

  it('is retried after a refused connection', async () => {
    const effects = hurried()
    const client = createClient({ baseUrl: await deadAddress(), appKey: 'k', effects, maxRetryMs: 20_000 })
    const error = await errorOf(client.call('role/disable', { role_id: 9 }))
    expect(error).toBeInstanceOf(NetworkError)
    expect(error.message).toContain('role/disable: the service was not reached: connect ECONNREFUSED')
    expect(client.stats().retries).toBeGreaterThan(2)
    await client.close()
  })
})
