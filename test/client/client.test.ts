import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../src/client/client.ts'
import { pages } from '../../src/client/paging.ts'
import { type Effects, realEffects } from '../../src/effects.ts'
import { ConfigError, ContractError, NetworkError, ServiceError } from '../../src/errors.ts'
import {
  data,
  failure,
  mute,
  reset,
  type Step,
  scriptedServer,
  stalled,
  text,
  truncated,
} from '../support/server.ts'

const LIST = { start_time: 1, end_time: 2 }
const CHANNEL = '{"channel_id":9223372036854775807,"channel_name":"é","status":"enabled","team_id":1}'

/** Real effects, but waits are noted down instead of waited for. */
function hurried(): Effects & { waits: number[]; warnings: unknown[] } {
  const waits: number[] = []
  const warnings: unknown[] = []
  const log = {
    debug() {},
    info() {},
    warn: (message: string, facts?: object) => warnings.push([message, facts]),
  }
  let skipped = 0
  return {
    ...realEffects({ ...log, warn: (message, facts) => void log.warn(message, facts) }),
    waits,
    warnings,
    now: () => Date.now() + skipped,
    elapsed: () => performance.now() + skipped,
    sleep: async (ms) => {
      waits.push(ms)
      skipped += ms
    },
  }
}

/** Plays the steps to a client, and closes both. */
async function withService<T>(
  steps: Step[],
  act: (client: Client, server: Awaited<ReturnType<typeof scriptedServer>>) => Promise<T>,
  options: Partial<ClientOptions> = {},
): Promise<T> {
  await using server = await scriptedServer(...steps)
  const client = createClient({
    baseUrl: server.baseUrl,
    appKey: 'the-key',
    effects: hurried(),
    timeoutMs: 2_000,
    ...options,
  })
  try {
    return await act(client, server)
  } finally {
    await client.close()
  }
}

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error) => error,
  )

describe('a request', () => {
  it('is a POST with the key in the query and JSON in the body, exact to the last digit', async () => {
    await withService([data(CHANNEL)], async (client, { seen }) => {
      const id = 9223372036854775807n
      const reply = await client.call('channel/info', { channel_id: id })
      expect(reply.data).toEqual({ channel_id: id, channel_name: 'é', status: 'enabled', team_id: 1 })
      expect(seen[0]).toMatchObject({ method: 'POST', path: '/channel/info', body: `{"channel_id":${id}}` })
      expect(seen[0]?.query.get('app_key')).toBe('the-key')
      expect(seen[0]?.headers['content-type']).toBe('application/json')
      expect(reply.bytes).toBe(Buffer.byteLength(`{"request_id":"01BODY","data":${CHANNEL}}`))
    })
  })

  it('is a GET with its fields in the query where the contract says so', async () => {
    const id = 'a'.repeat(32)
    const report = `{"meta":{"post_mortem_id":"${id}","updated_at_seconds":1},"basics":{},"content":{}}`
    await withService([data(report)], async (client, { seen }) => {
      await client.call('incident/post-mortem/info', { post_mortem_id: id })
      expect(seen[0]).toMatchObject({ method: 'GET', path: '/incident/post-mortem/info', body: '' })
      expect(Object.fromEntries(seen[0]?.query ?? [])).toEqual({ app_key: 'the-key', post_mortem_id: id })
    })
  })

  it('keeps the path of the base address', async () => {
    await using server = await scriptedServer(data('{"items":[]}'))
    const client = createClient({ baseUrl: `${server.baseUrl}/api/v1/`, appKey: 'k', effects: hurried() })
    await client.call('team/infos', { team_ids: [] })
    expect(server.seen[0]?.path).toBe('/api/v1/team/infos')
    await client.close()
  })

  it('that does not fit the contract is not sent', async () => {
    await withService([data('{}')], async (client, { seen }) => {
      const error = await errorOf(client.call('alert/info', { alert_id: 'short' }))
      expect(error).toBeInstanceOf(ContractError)
      expect(error.message).toBe(
        'alert/info: the request does not fit the contract: alert_id: expected 24 hexadecimal characters',
      )
      expect(error.issues).toEqual([{ path: 'alert_id', message: 'expected 24 hexadecimal characters' }])
      expect(seen).toHaveLength(0)
    })
  })
})

describe('an answer', () => {
  it.each([
    ['null', '"data":null'],
    ['missing', '"other":1'],
    ['an empty object', '"data":{}'],
  ])('may have %s for no data', async (_, part) => {
    await withService([text(200, `{"request_id":"r",${part}}`)], async (client) => {
      const reply = await client.call('channel/enable', { channel_id: 1 })
      expect(reply).toMatchObject({ data: {}, requestId: 'r' })
    })
  })

  it('may have null for an empty array', async () => {
    await withService([data('null')], async (client) => {
      expect((await client.call('monit/rule/status', { folder_id: 0 })).data).toEqual([])
    })
  })

  it('gives the request id of the body, else of the header, else none', async () => {
    const header = { 'service-request-id': '01HEADER' }
    const steps = [data('{}'), text(200, '{"data":{}}', header), text(200, '{"request_id":"","data":{}}')]
    await withService(steps, async (client) => {
      const id = async () => (await client.call('channel/enable', { channel_id: 1 })).requestId
      expect([await id(), await id(), await id()]).toEqual(['01BODY', '01HEADER', ''])
    })
  })

  it('tells the time of the service where its head does', async () => {
    const dated = text(200, '{"data":{}}', { date: 'Sat, 21 Nov 2026 12:00:30 GMT' })
    const wrong = text(200, '{"data":{}}', { date: 'noon' })
    const undated: Step = (res, seen, count) => {
      res.sendDate = false
      data('{}')(res, seen, count)
    }
    await withService([dated, wrong, undated], async (client) => {
      const time = async () => (await client.call('channel/enable', { channel_id: 1 })).serviceTime
      expect([await time(), await time(), await time()]).toEqual([
        Date.parse('2026-11-21T12:00:30Z'),
        null,
        null,
      ])
    })
  })

  it('that does not fit the contract names each place; `read` hands it over as it is', async () => {
    const items = '[{"team_id":1,"team_name":"a"},{"team_id":"x"},{"team_id":9007199254740993}]'
    await withService([data(`{"items":${items}}`)], async (client) => {
      const error = await errorOf(client.call('team/infos', { team_ids: [1] }))
      expect(error).toBeInstanceOf(ContractError)
      expect(error.issues.map((issue: { path: string }) => issue.path)).toEqual([
        'items.1.team_id',
        'items.1.team_name',
        'items.2.team_name',
      ])
      expect(error.message).toContain(
        'items.1.team_id: expected a 64-bit integer, and 2 more (request 01BODY)',
      )
      const reply = await client.read('team/infos', { team_ids: [1] })
      expect(reply.data).toEqual({
        items: [{ team_id: 1, team_name: 'a' }, { team_id: 'x' }, { team_id: 9007199254740993n }],
      })
    })
  })

  const whole = '{"request_id":"r","data":{"items":[]}}'
  const lossy: Step = (res) =>
    res.end(
      Buffer.concat([
        Buffer.from('{"request_id":"r","data":{"items":["'),
        Buffer.from([0xe9, 0x22]),
        Buffer.from(']}}'),
      ]),
    )

  it.each([
    [
      'bytes behind it',
      text(200, `${whole}xyz`),
      /the answer is not JSON: .*stands behind it \(3 attempts/,
      3,
    ],
    ['a second answer behind it', text(200, whole + whole), /the answer is not JSON/, 3],
    [
      'a mistake inside',
      text(200, '{"request_id":"r","data":{"items":[,"{\\""]}}'),
      /the answer is not JSON/,
      3,
    ],
    ['bytes that are no UTF-8', lossy, /the answer holds bytes that are not UTF-8.*\(request r\)/, 3],
    [
      'gzip that nobody asked for',
      text(200, 'x', { 'content-encoding': 'gzip' }),
      /is compressed \(gzip\), which was not asked for/,
      1,
    ],
  ])(
    'with %s is told in one sentence, and not asked for again for long',
    async (_, step, sentence, requests) => {
      await withService([step], async (client, { seen }) => {
        const error = await errorOf(client.read('incident/list', LIST))
        expect(error).toBeInstanceOf(ContractError)
        expect(error.message).toMatch(sentence)
        expect(error.next).toMatch(/those who run the service|accept-encoding: identity/)
        expect(seen).toHaveLength(requests)
        expect(seen[0]!.headers['accept-encoding']).toBe('identity')
      })
    },
  )

  it('that a proxy compressed and failed is asked for again', async () => {
    const busy = text(503, 'x', { 'content-encoding': 'gzip' })
    await withService([busy, data('{"items":[]}')], async (client, { seen }) => {
      await client.read('incident/list', LIST)
      expect(seen).toHaveLength(2)
    })
  })

  it('says no more than is read: a code and a message of a megabyte are cut', async () => {
    const step = failure(400, `C${'c'.repeat(1_000_000)}`, 'm'.repeat(1_000_000))
    await withService([step], async (client) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error.message).toMatch(/^incident\/list: Cc{99}…: m{500}… \(request 01BODY\)$/)
    })
  })

  it('has a request id of bounded length', async () => {
    const step = text(200, `{"request_id":"${'r'.repeat(1_000_000)}","data":{}}`)
    await withService([step], async (client) => {
      expect((await client.call('channel/enable', { channel_id: 1 })).requestId).toBe(`${'r'.repeat(100)}…`)
    })
  })

  it('from another program is told from one that was cut, and not asked for again', async () => {
    await withService([text(200, '<html>Sign in</html>')], async (client, { seen }) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error).toBeInstanceOf(ContractError)
      expect(error.issues[0].message).toContain('<html>Sign in')
      expect(error.next).toContain('baseUrl')
      expect(seen).toHaveLength(1)
    })
  })
})

describe('a failure', () => {
  it('of the key points to it, and of a permission names the one that is needed', async () => {
    await withService(
      [failure(401, 'Unauthorized'), failure(403, 'AccessDenied')],
      async (client, { seen }) => {
        const unauthorized = await errorOf(client.read('incident/list', LIST))
        expect(unauthorized).toBeInstanceOf(ServiceError)
        // Which of these gave the key is not known here.
        for (const source of ['FAULTLINE_APP_KEY', 'appKeyFile', 'appKeyEnv'])
          expect(unauthorized.next).toContain(source)
        const denied = await errorOf(client.read('schedule/infos', { schedule_ids: [1] }))
        expect(denied).toMatchObject({ code: 'AccessDenied', status: 403, requestId: '01BODY' })
        expect(denied.next).toContain('schedule view (on-call) or schedule management (on-call)')
        expect(denied.message).toBe('schedule/infos: AccessDenied: Oh. (request 01BODY)')
        expect(seen).toHaveLength(2)
      },
    )
  })

  it.each([
    ['a known code under 200', failure(200, 'InvalidParameter'), 'InvalidParameter'],
    ['a known code under a passing status', failure(500, 'AccessDenied'), 'AccessDenied'],
    ['an unknown code', failure(418, 'TeapotShort', 'I am short.'), 'TeapotShort'],
    ['a code named like a method of every object', failure(400, 'toString'), 'toString'],
    ['a status without a code', text(404, '<html>'), 'HTTP 404'],
    ['a redirect', text(302, '', { location: 'http://elsewhere/' }), 'HTTP 302'],
  ])('with %s is kept and shown, and not asked for again', async (_, step, code) => {
    await withService([step], async (client, { seen }) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error).toBeInstanceOf(ServiceError)
      expect(error.code).toBe(code)
      expect(error.message).toContain(code)
      expect(seen).toHaveLength(1)
    })
  })
})

describe('trying again', () => {
  const items = data('{"items":[]}')

  it.each([
    ['429', failure(429, 'RequestTooFrequently')],
    ['429 without an envelope', text(429, '')],
    ['a rate-limit code under 400', failure(400, 'RequestTooFrequently')],
    ['500', failure(500, 'InternalError')],
    ['an internal error under 200', failure(200, 'InternalError')],
    ['502 from a proxy', text(502, '<html>Bad gateway</html>')],
    ['503', failure(503, 'SomethingNew')],
    ['504', text(504, '')],
    ['a reset', reset],
    ['a body cut by the connection', truncated],
    ['a body cut without notice', text(200, '{"request_id":"r","data":{"items":[')],
    ['an empty body', text(200, '')],
  ])('cures %s', async (_, step) => {
    await withService([step, step, items], async (client, { seen }) => {
      expect((await client.call('team/infos', { team_ids: [1] })).data).toEqual({ items: [] })
      expect(seen).toHaveLength(3)
      expect(seen[2]?.body).toBe(seen[0]?.body)
      expect(client.stats()).toMatchObject({ requests: 3, retries: 2 })
    })
  })

  it.each([
    ['no answer', mute],
    ['a body without end', stalled],
  ])('cures %s, after the time-out', async (_, step) => {
    await withService(
      [step, items],
      async (client, { seen }) => {
        await client.call('team/infos', { team_ids: [1] })
        expect(seen).toHaveLength(2)
      },
      { timeoutMs: 80 },
    )
  })

  it('honours Retry-After, in seconds and as a date', async () => {
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
        // The second date is seen 30 s of skipped time later, so the own backoff counts there.
        await client.call('team/infos', { team_ids: [1] })
        expect(effects.waits[0]).toBeGreaterThan(29_000)
        expect(effects.waits[0]).toBeLessThanOrEqual(30_000)
      },
      { effects },
    )
  })

  it('pauses all requests on a 429, not only the one refused', async () => {
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

  it('ends with the deadline, which is longer than a minute, and says how often it tried', async () => {
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

  it('gives up at once when the service asks to wait beyond the deadline', async () => {
    const step = failure(429, 'RequestTooFrequently', '', { 'retry-after': '3600' })
    await withService([step], async (client, { seen }) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error.code).toBe('RequestTooFrequently')
      expect(error.next).toContain('quota')
      expect(seen).toHaveLength(1)
    })
  })

  it.each([
    ['3000000', '; it asks to wait 35 days (request 01BODY)', 429],
    ['99999999999999999999', '; it asks to wait more than 100 years', 429],
    ['Thu, 01 Jan 2099 00:00:00 GMT', /; it asks to wait 2\d,\d\d\d days/, 503],
  ])('says that it is told to wait for ever: Retry-After: %s', async (header, words, status) => {
    const step = failure(status, status === 429 ? 'RequestTooFrequently' : 'Busy', 'Oh.', {
      'retry-after': header,
    })
    await withService([step], async (client, { seen }) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error.message).toMatch(typeof words === 'string' ? words.slice(0, 30) : words)
      expect(error.next).toMatch(/ask those who run the service/)
      expect(seen).toHaveLength(1)
    })
  })

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
    ['a reset', reset, 'incident/list: no whole answer: other side closed'],
    ['a cut body', text(200, '{"a":'), 'incident/list: the answer was cut short'],
  ])('says after ten seconds what is waited for: %s', async (_, step, problem) => {
    const told: string[] = []
    await withService(
      [step],
      async (client) => {
        await errorOf(client.read('incident/list', LIST))
        expect(told[0]).toMatch(/^Waiting for the service: /)
        expect(told[0]).toContain(problem)
        expect(Number(/tried again for up to (\d+) s\.$/.exec(told[0]!)?.[1])).toBeGreaterThan(120)
        expect(told.length).toBeLessThan(5)
      },
      { onWait: (sentence) => told.push(sentence) },
    )
  })

  it('says nothing of what is cured before', async () => {
    const told: string[] = []
    await withService(
      [failure(500, 'InternalError'), items],
      (client) => client.call('team/infos', { team_ids: [1] }),
      {
        onWait: (sentence) => told.push(sentence),
      },
    )
    expect(told).toEqual([])
  })

  it.each([
    ['500', failure(500, 'InternalError'), ServiceError],
    ['a reset', reset, NetworkError],
    ['a cut body', truncated, NetworkError],
    ['no answer', mute, NetworkError],
  ])('leaves a write alone after %s, because the service may have acted', async (_, step, kind) => {
    await withService(
      [step],
      async (client, { seen }) => {
        const error = await errorOf(client.call('role/disable', { role_id: 9 }))
        expect(error).toBeInstanceOf(kind)
        expect(error.next).toContain('not known whether the service acted')
        expect(seen).toHaveLength(1)
      },
      { timeoutMs: 150 },
    )
  })

  it('repeats a write that was refused for the rate', async () => {
    await withService([failure(429, 'RequestTooFrequently'), data('{}')], async (client, { seen }) => {
      await client.call('role/disable', { role_id: 9 })
      expect(seen).toHaveLength(2)
    })
  })

  it('repeats a write while nothing listens', async () => {
    const effects = hurried()
    const client = createClient({ baseUrl: await deadAddress(), appKey: 'k', effects, maxRetryMs: 20_000 })
    const error = await errorOf(client.call('role/disable', { role_id: 9 }))
    expect(error).toBeInstanceOf(NetworkError)
    expect(error.message).toContain('role/disable: the service was not reached: connect ECONNREFUSED')
    expect(client.stats().retries).toBeGreaterThan(2)
    await client.close()
  })
})

describe('pages over HTTP', () => {
  it('reads cursor pages to their end', async () => {
    const steps = [
      data('{"items":[1],"total":2,"has_next_page":true,"search_after_ctx":"c+/="}'),
      data('{"items":[2],"total":2,"has_next_page":false}'),
    ]
    await withService(steps, async (client, { seen }) => {
      const got: unknown[] = []
      for await (const { data } of pages(client.read, 'incident/list', LIST))
        got.push(...(data as { items: unknown[] }).items)
      expect(got).toEqual([1, 2])
      expect(JSON.parse(seen[1]?.body ?? '')).toEqual({ ...LIST, search_after_ctx: 'c+/=' })
    })
  })

  it('stops at a cursor that comes again', async () => {
    const step = data('{"items":[1],"total":2,"has_next_page":true,"search_after_ctx":"c"}')
    await withService([step], async (client, { seen }) => {
      const read = async () => {
        for await (const _ of pages(client.read, 'incident/list', LIST));
      }
      expect(await errorOf(read())).toBeInstanceOf(ContractError)
      expect(seen).toHaveLength(2)
    })
  })
})

describe('stopping', () => {
  it('rejects what waits in the queue and what is under way, at once, with the reason', async () => {
    const stop = new AbortController()
    await withService(
      [mute],
      async (client, { seen }) => {
        const calls = [1, 2, 3].map((id) =>
          errorOf(client.read('team/infos', { team_ids: [id] }, { signal: stop.signal })),
        )
        await until(() => seen.length === 1)
        const since = Date.now()
        stop.abort(new Error('enough'))
        for (const error of await Promise.all(calls)) expect(error).toBe(stop.signal.reason)
        expect(Date.now() - since).toBeLessThan(500)
        expect(seen).toHaveLength(1)
      },
      // One a second: the others wait.
      { quota: 0.02, timeoutMs: 20_000 },
    )
  })

  it('rejects a call that waits to try again', async () => {
    const stop = new AbortController()
    const effects = { ...realEffects(), random: () => 0.9 }
    const step = failure(503, 'Busy', '', { 'retry-after': '60' })
    await withService(
      [step],
      async (client, { seen }) => {
        const call = errorOf(client.read('team/infos', { team_ids: [1] }))
        await until(() => seen.length === 1)
        stop.abort(new Error('enough'))
        expect((await call).message).toBe('enough')
      },
      { effects, signal: stop.signal },
    )
  })

  it('ends everything on close', async () => {
    await withService([mute], async (client, { seen }) => {
      const call = errorOf(client.read('team/infos', { team_ids: [1] }))
      await until(() => seen.length === 1)
      await client.close()
      expect((await call).message).toBe('the client was closed')
      expect((await errorOf(client.read('team/infos', { team_ids: [1] }))).message).toBe(
        'the client was closed',
      )
    })
  })
})

describe('the key', () => {
  const KEY = 'k/+ =é'
  const forms = [
    KEY,
    encodeURIComponent(KEY),
    new URLSearchParams([['', KEY]]).toString().slice(1),
    'k/+%20=%C3%A9',
  ]
  /** Sends back the address that was asked for, as proxies and gateways do. */
  const echo =
    (status: number, code: string | undefined): Step =>
    (res, { path, query }) => {
      const message = `no ${path}?${query} for ${query.get('app_key')}`
      const body =
        code === undefined ? message : JSON.stringify({ request_id: KEY, error: { code, message } })
      res.writeHead(status, { 'retry-after': '9' }).end(body)
    }

  it.each([
    ['an unknown code', echo(400, KEY)],
    ['a rate limit', echo(429, 'RequestTooFrequently')],
    ['an internal error', echo(500, 'InternalError')],
    ['a page', echo(200, undefined)],
    ['a gateway', echo(502, undefined)],
    ['a rejected key', echo(401, 'Unauthorized')],
    ['a reset', reset],
    ['a cut body', truncated],
    ['a cut body that holds it', ((res, { query }) => res.end(`{"request_id":"${query}`)) as Step],
    ['no answer', mute],
    ['a stalled body', stalled],
    ['an answer that is no HTTP', ((res, { query }) => res.socket?.end(`${query}\r\n\r\n`)) as Step],
    ['an answer that does not fit', data(`{"items":[{"${KEY}":1}]}`)],
  ])('is in no error and no log after %s', async (_, step) => {
    const effects = hurried()
    await withService(
      [step],
      async (client) => {
        const error = await errorOf(client.call('team/infos', { team_ids: [1] }))
        expect(error).toBeInstanceOf(Error)
        expectNo(forms, [everythingOf(error), effects.warnings])
      },
      { appKey: KEY, effects, timeoutMs: 60, maxRetryMs: 4_000 },
    )
  })

  it('is in no error when nothing listens, the request is wrong, or an option is', async () => {
    const options = { appKey: KEY, effects: hurried(), maxRetryMs: 2_000 }
    const client = createClient({ ...options, baseUrl: await deadAddress() })
    const refused = await errorOf(client.read('team/infos', { team_ids: [1] }))
    const wrong = await errorOf(client.read('alert/info', { alert_id: KEY }))
    await client.close()
    const baseUrl = `http://127.0.0.1/?app_key=${encodeURIComponent(KEY)}`
    const option = await errorOf((async () => createClient({ ...options, baseUrl }))())
    expect(option).toBeInstanceOf(ConfigError)
    for (const error of [refused, wrong, option]) expectNo(forms, everythingOf(error))
  })

  /** All that can be read off an error, its causes included. */
  function everythingOf(error: unknown): unknown {
    if (!(error instanceof Error)) return error
    const own = Object.fromEntries(Reflect.ownKeys(error).map((key) => [key, Reflect.get(error, key)]))
    return { ...own, message: error.message, stack: error.stack, cause: everythingOf(error.cause) }
  }

  function expectNo(texts: readonly string[], value: unknown) {
    const seen = new Set<unknown>()
    const json = JSON.stringify(value, (_, part) => {
      if (typeof part !== 'object' || part === null) return typeof part === 'bigint' ? String(part) : part
      if (seen.has(part)) return undefined
      seen.add(part)
      return part
    })
    expect(json.length).toBeGreaterThan(20)
    for (const text of texts) expect(json.toLowerCase()).not.toContain(text.toLowerCase())
  }
})

describe('options', () => {
  const good = { baseUrl: 'http://127.0.0.1', appKey: 'k' }
  it.each([
    ['an empty key', { appKey: '' }],
    ['no address', { baseUrl: 'service' }],
    ['another scheme', { baseUrl: 'ftp://host' }],
    ['a user in the address', { baseUrl: 'http://me:pw@host' }],
    ['a quota of 0', { quota: 0 }],
    ['a quota above 1', { quota: 1.5 }],
    ['a quota that is none', { quota: Number.NaN }],
    ['no time', { timeoutMs: 0 }],
    ['another store than Redis', { redis: 'memcached://me:secret@host' }],
  ])('refuse %s', (_, wrong) => {
    expect(() => createClient({ ...good, ...wrong })).toThrow(ConfigError)
  })
})

describe('the rate, over HTTP and in real time', () => {
  /** Real effects that note what they were asked to wait, and wait. */
  function waiting(): Effects & { waits: number[] } {
    const waits: number[] = []
    const real = realEffects()
    const sleep = (ms: number, signal?: AbortSignal) => {
      waits.push(ms)
      return real.sleep(ms, signal)
    }
    return { ...real, sleep, waits }
  }

  it('spends bursts, never more than 50 a second at the server', async () => {
    await withService(
      [data('{"items":[]}')],
      async (client, { seen }) => {
        await Promise.all(Array.from({ length: 120 }, () => client.read('team/infos', { team_ids: [1] })))
        expect(seen).toHaveLength(120)
        const times = seen.map(({ at }) => at).sort((a, b) => a - b)
        for (let index = 50; index < times.length; index++)
          expect(times[index]! - times[index - 50]!).toBeGreaterThanOrEqual(1_000)
        expect(times[49]! - times[0]!).toBeLessThan(1_000)
        expect(client.stats()).toMatchObject({
          requests: 120,
          byOperation: { 'team/infos': { requests: 120 } },
        })
      },
      { effects: realEffects() },
    )
  })

  it('carries many calls on one signal without a warning of the runtime', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const { signal } = new AbortController()
    await withService(
      [data('{"items":[]}')],
      async (client) => {
        await Promise.all(
          Array.from({ length: 40 }, () => client.read('team/infos', { team_ids: [1] }, { signal })),
        )
        await Promise.all(Array.from({ length: 40 }, () => client.read('team/infos', { team_ids: [1] })))
      },
      { quota: Number.POSITIVE_INFINITY },
    )
    await new Promise(setImmediate)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('has no limits with an infinite quota', async () => {
    const effects = waiting()
    await withService(
      [data('{"items":[]}')],
      async (client) => {
        await Promise.all(Array.from({ length: 500 }, () => client.read('team/infos', { team_ids: [1] })))
        // A busy machine may lose a connection; nothing else waits.
        expect(effects.waits).toHaveLength(client.stats().retries)
      },
      { effects, quota: Number.POSITIVE_INFINITY },
    )
  })
})

async function until(condition: () => boolean) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** An address where nothing listens any more. */
async function deadAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
