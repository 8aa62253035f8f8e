import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type OperationName, operations } from '../../src/contract/index.ts'
import { type Answer, type Json, open, type Talk } from '../support/sandbox.ts'
import { sideDoor } from '../support/side-door.ts'
import { call, ROWS } from './conformance/operations.ts'

const HOSTILE = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    0,
    -1,
    1.5,
    1e308,
    2n ** 63n,
    -(2n ** 63n),
    2n ** 63n - 1n,
    2n ** 200n,
    2 ** 53,
    [],
    {},
    [[]],
    '\ud800',
    '\u202e\u0000\u001b[31m',
    '__proto__',
    'constructor',
    '000000000000000000000001',
    'f'.repeat(24),
    'x'.repeat(70_000),
    [null],
    [{}],
    { toJSON: 1 },
    { length: -1 },
  ),
  fc.jsonValue({ maxDepth: 4 }),
)

let service: Talk
let world: Json
beforeAll(async () => {
  service = await open({ incidents: 400 })
  world = await service.control('world')
})

async function fingerprint(): Promise<string> {
  const texts = await Promise.all(
    ['state', 'audit'].map(async (name) => (await sideDoor(service.baseUrl, name)).text()),
  )
  return createHash('sha256').update(texts.join()).digest('hex')
}

/** Expects a complete envelope in one of the documented forms. */
function expectEnvelope({ status, body, headers }: Answer): void {
  expect(status).not.toBe(500)
  expect(body.request_id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(headers.get('service-request-id')).toBe(body.request_id)
  if (status === 200) expect(body).toHaveProperty('data')
  else expect([typeof body.error.code, typeof body.error.message]).toEqual(['string', 'string'])
}

describe('the sandbox', () => {
  test('never returns 500 and changes no data after a failed request', async () => {
    const step = fc.record({
      row: fc.constantFrom(...ROWS),
      changes: fc.array(fc.tuple(fc.nat(7), HOSTILE), { maxLength: 2 }),
      key: fc.constantFrom('all', 'all', 'all', 'none', 'role management (organization)'),
    })
    let before = await fingerprint()
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        for (const { row, changes, key } of steps) {
          const request = { ...row.request(world) }
          const fields = Object.keys(request)
          for (const [place, value] of changes) request[fields[place % fields.length]!] = value
          const input =
            row.method === 'GET'
              ? Object.fromEntries(fields.map((name) => [name, String(request[name])]))
              : request
          const answer = await call(service, row, input, service.key(key))
          expectEnvelope(answer)
          statuses.add(answer.status)
          const after = await fingerprint()
          if (answer.status !== 200) expect(after).toBe(before)
          else {
            const { response } = operations[row.path.slice(1) as OperationName]
            expect(response.safeParse(answer.body.data).error).toBeUndefined()
          }
          before = after
        }
      }),
      { numRuns: 45 },
    )
    expect(statuses).toEqual(new Set([200, 400, 403]))
  })

  test('answers a request whose body is arbitrary text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ROWS),
        fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' })),
        async (row, body) => {
          expectEnvelope(await service.post(row.path, body))
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('hostile requests to the sandbox', () => {
  test.each([
    ['brackets', '['.repeat(4_000_000)],
    ['objects', '{"a":'.repeat(1_000_000)],
    ['whole', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['with long numbers', `{"a":12345678901234567,"b":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['in a stored field', `{"channel_id":1,"group":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`],
  ])('with deeply nested JSON (%s) are rejected with InvalidParameter', async (_, body) => {
    const answer = await service.post('/channel/update', body)
    expectEnvelope(answer)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'InvalidParameter'])
  })

  test('with the keys __proto__ and constructor change no prototype', async () => {
    const body = `{"channel_id":${world.channels[0]},"__proto__":{"description":"polluted"},"group":{"__proto__":{"polluted":1},"constructor":{"polluted":1}}}`
    expectEnvelope(await service.post('/channel/update', body))
    expectEnvelope(await service.post('/channel/update', body.replace(/}$/, ',"x":12345678901234567}')))
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    const channel = (await service.post('/channel/info', { channel_id: world.channels[0] })).body.data
    expect(channel.description).not.toBe('polluted')
    const rule = `{"ids":[${world.rules[0]}],"fields":["__proto__"],"__proto__":{"enabled":false}}`
    expect((await service.post('/monit/rule/update/fields', rule)).status).toBe(400)
  })

  test('with lone surrogates are stored unchanged', async () => {
    const body = `{"channel_id":${world.channels[1]},"description":"a\\ud800b"}`
    expect((await service.post('/channel/update', body)).status).toBe(200)
    expect(
      (await service.post('/channel/info', { channel_id: world.channels[1] })).body.data.description,
    ).toBe('a\ud800b')
  })

  test('that are not HTTP get an error response in JSON', async () => {
    for (const text of [
      'garbage\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET /${'x'.repeat(40_000)} HTTP/1.1\r\n\r\n`,
    ]) {
      const answer = await exchange(text)
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toHaveProperty('error.code')
    }
  })

  test('with an endless body are cut off after about 100 MB', async () => {
    const socket = await dial(
      `POST /member/list?app_key=${service.appKey} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const part = `100000\r\n${'x'.repeat(1024 * 1024)}\r\n`
    const isOver = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve))
    let parts = 0
    for (; !socket.destroyed && parts < 200; parts++)
      await Promise.race([isOver, new Promise((resolve) => socket.write(part, resolve))])
    expect(parts).toBeGreaterThan(80)
    expect(parts).toBeLessThan(120)
    expect((await service.post('/team/infos', { team_ids: [] })).status).toBe(200)
  })
})

function dial(text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1', () => socket.write(text, () => resolve(socket)))
    socket.once('error', reject)
  })
}

async function exchange(text: string): Promise<string> {
  const socket = await dial(text)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}
