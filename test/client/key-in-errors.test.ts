import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { ConfigError } from '../../src/errors.ts'
import { data, mute, reset, type Step, stalled, truncated } from '../support/server.ts'
import { deadAddress, errorOf, hurried, withService } from './service-fixture.ts'

describe('the app key', () => {
  const KEY = 'k/+ =é'
  const forms = [
    KEY,
    encodeURIComponent(KEY),
    new URLSearchParams([['', KEY]]).toString().slice(1),
    'k/+%20=%C3%A9',
  ]
  /** Echoes the requested address, as proxies and gateways do. */
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
    ['an HTML page', echo(200, undefined)],
    ['a gateway error', echo(502, undefined)],
    ['a rejected key', echo(401, 'Unauthorized')],
    ['a connection reset', reset],
    ['a cut body', truncated],
    ['a cut body that contains the key', ((res, { query }) => res.end(`{"request_id":"${query}`)) as Step],
    ['no answer', mute],
    ['a stalled body', stalled],
    ['an answer that is not HTTP', ((res, { query }) => res.socket?.end(`${query}\r\n\r\n`)) as Step],
    ['an answer that violates the contract', data(`{"items":[{"${KEY}":1}]}`)],
  ])('never appears in an error or a log after %s', async (_, step) => {
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

  it('never appears in errors about a refused connection, a request or an option', async () => {
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

  /** All text that can be read from an error, including its causes. */
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
