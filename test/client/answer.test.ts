import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { ERROR_CODES } from '../../src/contract/envelope.ts'
import { ContractError, ServiceError } from '../../src/errors.ts'
import { data, failure, type Step, text } from '../support/server.ts'
import { errorOf, hurried, LIST, withService } from './service-fixture.ts'

describe('a service error', () => {
  it.each([...Object.keys(ERROR_CODES), 'OfTomorrow'])(
    'suggests a next step for the error code %s',
    async (code) => {
      await withService([failure(400, code)], async (client) => {
        const error = await errorOf(client.call('team/infos', { team_ids: [1] }))
        expect(error).toMatchObject({ code, next: expect.stringMatching(/^.{30,}\.$/) })
      })
    },
  )
})

describe('a service response', () => {
  it.each([
    ['null data', '"data":null'],
    ['no data field', '"other":1'],
    ['an empty data object', '"data":{}'],
  ])('is read as an empty object if it contains %s', async (_, part) => {
    await withService([text(200, `{"request_id":"r",${part}}`)], async (client) => {
      const reply = await client.call('channel/enable', { channel_id: 1 })
      expect(reply).toMatchObject({ data: {}, requestId: 'r' })
    })
  })

  it('may begin with a byte order mark, whether it contains data or an error', async () => {
    const good = text(200, '\ufeff{"request_id":"r","data":{"items":[]}}')
    const bad = text(400, '\ufeff \n{"request_id":"r","error":{"code":"InvalidParameter"}}')
    await withService([good, bad], async (client) => {
      expect((await client.call('team/infos', { team_ids: [1] })).data).toEqual({ items: [] })
      expect(await errorOf(client.call('team/infos', { team_ids: [1] }))).toMatchObject({
        code: 'InvalidParameter',
        requestId: 'r',
      })
    })
  })

  it('may contain raw tabs and line breaks in strings, with one warning per client', async () => {
    const step = text(200, '{"request_id":"r","data":{"items":[{"id":9007199254740993,"title":"a\n\tb"}]}}')
    const effects = hurried()
    const act = async (client: Client) => {
      for (const _ of [1, 2])
        expect((await client.read('incident/list', LIST)).data).toEqual({
          items: [{ id: 9007199254740993n, title: 'a\n\tb' }],
        })
    }
    await withService([step], act, { effects })
    const warning = [expect.stringMatching(/raw tabs/), { operation: 'incident/list', requestId: 'r' }]
    expect(effects.warnings).toEqual([warning])
  })

  it('is read as an empty array if it contains null for a list', async () => {
    await withService([data('null')], async (client) => {
      expect((await client.call('monit/rule/status', { folder_id: 0 })).data).toEqual([])
    })
  })

  it('has the request id from the HTTP header if the body contains no request id', async () => {
    const header = { 'service-request-id': '01HEADER' }
    const steps = [data('{}'), text(200, '{"data":{}}', header), text(200, '{"request_id":"","data":{}}')]
    await withService(steps, async (client) => {
      const id = async () => (await client.call('channel/enable', { channel_id: 1 })).requestId
      expect([await id(), await id(), await id()]).toEqual(['01BODY', '01HEADER', ''])
    })
  })

  it('has the service time from a valid Date header, and otherwise null', async () => {
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

  it('that violates the contract makes `call` fail and list every violation, but is returned by `read`', async () => {
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

  it('with a very long error code and message is truncated in the reported error', async () => {
    const step = failure(400, `C${'c'.repeat(1_000_000)}`, 'm'.repeat(1_000_000))
    await withService([step], async (client) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error.message).toMatch(/^incident\/list: Cc{99}…: m{500}… \(request 01BODY\)$/)
    })
  })

  it('with a very long request id keeps the first 100 characters of the id', async () => {
    const step = text(200, `{"request_id":"${'r'.repeat(1_000_000)}","data":{}}`)
    await withService([step], async (client) => {
      expect((await client.call('channel/enable', { channel_id: 1 })).requestId).toBe(`${'r'.repeat(100)}…`)
    })
  })
})

describe('an unreadable service response', () => {
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
      'trailing bytes',
      text(200, `${whole}xyz`),
      /the answer is not valid JSON: .*text after its end \(3 attempts/,
      3,
    ],
    ['two byte order marks', text(200, `\ufeff\ufeff${whole}`), /the answer is not valid JSON/, 3],
    ['a second JSON value after the first', text(200, whole + whole), /the answer is not valid JSON/, 3],
    [
      'a syntax error',
      text(200, '{"request_id":"r","data":{"items":[,"{\\""]}}'),
      /the answer is not valid JSON/,
      3,
    ],
    ['bytes that are not UTF-8', lossy, /the answer contains bytes that are not UTF-8.*\(request r\)/, 3],
    [
      'gzip that was not requested',
      text(200, 'x', { 'content-encoding': 'gzip' }),
      /is compressed \(gzip\), which was not requested/,
      1,
    ],
  ])('is reported as a violation of the contract if it has %s', async (_, step, sentence, requests) => {
    await withService([step], async (client, { seen }) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error).toBeInstanceOf(ContractError)
      expect(error.message).toMatch(sentence)
      expect(error.next).toMatch(/the operators of the service|accept-encoding: identity/)
      expect(seen).toHaveLength(requests)
      expect(seen[0]!.headers['accept-encoding']).toBe('identity')
    })
  })

  it('is requested again if it is a compressed 503 from a proxy', async () => {
    const busy = text(503, 'x', { 'content-encoding': 'gzip' })
    await withService([busy, data('{"items":[]}')], async (client, { seen }) => {
      await client.read('incident/list', LIST)
      expect(seen).toHaveLength(2)
    })
  })

  it('is not requested again if it is an HTML sign-in page', async () => {
    await withService([text(200, '<html>Sign in</html>')], async (client, { seen }) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error).toBeInstanceOf(ContractError)
      expect(error.issues[0].message).toContain('<html>Sign in')
      expect(error.next).toContain('baseUrl')
      expect(seen).toHaveLength(1)
    })
  })
})

describe('a failed service call', () => {
  it('lists the possible sources of a rejected key, or the missing permissions', async () => {
    await withService(
      [failure(401, 'Unauthorized'), failure(403, 'AccessDenied')],
      async (client, { seen }) => {
        const unauthorized = await errorOf(client.read('incident/list', LIST))
        expect(unauthorized).toBeInstanceOf(ServiceError)
        // The client does not know which of these supplied the key.
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
    ['a known code with status 200', failure(200, 'InvalidParameter'), 'InvalidParameter'],
    ['a known code with a transient status', failure(500, 'AccessDenied'), 'AccessDenied'],
    ['an unknown code', failure(418, 'TeapotShort', 'I am short.'), 'TeapotShort'],
    ['a code named like a method of every object', failure(400, 'toString'), 'toString'],
    ['a status without a code', text(404, '<html>'), 'HTTP 404'],
    ['a redirect', text(302, '', { location: 'http://elsewhere/' }), 'HTTP 302'],
  ])('is reported with its code, without a retry, after %s', async (_, step, code) => {
    await withService([step], async (client, { seen }) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error).toBeInstanceOf(ServiceError)
      expect(error.code).toBe(code)
      expect(error.message).toContain(code)
      expect(seen).toHaveLength(1)
    })
  })
})
