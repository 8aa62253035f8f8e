import { describe, expect, it } from 'vitest'
import type { CallOptions, Client, ClientOptions } from '../../src/client/client.ts'
import { data, failure, mute, reset, type Step, stalled, text, truncated } from '../support/server.ts'
import { errorOf, LIST, withService } from './service-fixture.ts'

const items = data('{"items":[]}')
const huge: Step = (res) => res.end(Buffer.alloc(16 * 1024 ** 2 + 1, 0x20))
const lossy: Step = (res) => res.end(Buffer.from('{"request_id":"r","data":"\xe9"}', 'latin1'))
const shrinking = { canShrink: true }

/** Returns the error of a call that gets these responses, and its number of requests. */
function failing(steps: Step[], call: CallOptions = {}, options: Partial<ClientOptions> = {}) {
  return withService(
    steps,
    async (client, { seen }) => ({
      error: await errorOf(client.read('incident/list', LIST, call)),
      requests: seen.length,
    }),
    options,
  )
}

describe('a smaller request', () => {
  it.each([
    ['an answer above 16 MB', huge],
    ['an answer that is not JSON', text(200, '{"data":{}}}')],
    ['an answer that is not UTF-8', lossy],
    ['an answer that was cut short', text(200, '{"data":{"items":[')],
    ['an answer whose connection breaks', truncated],
  ])('is suggested after %s', async (_, step) => {
    expect((await failing([step])).error.smallerMayWork).toBe(true)
  })

  it.each([
    ['a page from another program', text(200, '<html>')],
    ['a compressed answer', text(200, 'x', { 'content-encoding': 'gzip' })],
    ['an error from the service', failure(400, 'InvalidParameter')],
    ['a service that is down', text(503, '')],
    ['a connection that breaks before the answer', reset],
    ['timeouts until the deadline', text(504, '')],
  ])('is not suggested after %s', async (_, step) => {
    expect((await failing([step])).error.smallerMayWork).toBe(false)
  })

  it('is not suggested after a write with an unreadable response', async () => {
    await withService([text(200, '{"data":{}}}')], async (client) => {
      const error = await errorOf(client.call('role/disable', { role_id: 9 }))
      expect(error.smallerMayWork).toBe(false)
    })
  })
})

describe('the second timeout of a call', () => {
  const slow: [string, Step][] = [
    ['HTTP 504', text(504, '<html>')],
    ['HTTP 504 with a service error code', failure(504, 'InternalError')],
    ['HTTP 524', text(524, '<html>')],
    ['no answer', mute],
    ['a body without end', stalled],
  ]

  it.each(slow)('ends the call if the call accepts smaller requests: %s', async (_, step) => {
    const { error, requests } = await failing([step, step, items], shrinking, { timeoutMs: 80 })
    expect(error).toMatchObject({ smallerMayWork: true, message: expect.stringContaining('(2 attempts in ') })
    expect(requests).toBe(2)
  })

  it.each(slow)('does not end the call if the call cannot use smaller requests: %s', async (_, step) => {
    const act = (client: Client) => client.read('incident/list', LIST)
    await withService([step, step, items], act, { timeoutMs: 80 })
  })

  it('may be an HTTP 504 or a missing response, even after other errors in between', async () => {
    const down = text(503, '')
    const steps = [down, text(504, ''), reset, down, mute, items]
    const { error, requests } = await failing(steps, shrinking, { timeoutMs: 80 })
    expect(error).toMatchObject({ name: 'NetworkError', smallerMayWork: true })
    expect(requests).toBe(5)
  })

  it('is counted separately for each call', async () => {
    const steps = [text(504, ''), items, text(504, ''), items]
    await withService(steps, async (client) => {
      await client.read('incident/list', LIST, shrinking)
      await client.read('incident/list', LIST, shrinking)
    })
  })
})
