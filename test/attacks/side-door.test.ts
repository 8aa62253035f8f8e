import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { NOW, open } from '../support/sandbox.ts'

/**
 * A web page could once read all keys and incidents through the control endpoints of the sandbox, if the name of its
 * host resolved to this machine. A page of any origin could set faults and the clock.
 */

/** Sends one request with exactly these headers. */
function ask(url: string, headers: Record<string, string>, body?: string): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: body === undefined ? 'GET' : 'POST', headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve([response.statusCode ?? 0, text])
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

describe('a control endpoint of the sandbox', () => {
  const own = { 'Sec-Faultline-Sandbox': '1' }
  const READERS = ['world', 'truth', 'state', 'stats', 'audit', 'faults', 'clock']

  test.each<[string, Record<string, string>]>([
    ['another host name', { ...own, host: 'evil.example' }],
    ['a host that starts with one of our names', { ...own, host: 'localhost.evil.example:80' }],
    ['a host that ends with one of our names', { ...own, host: 'evil-localhost' }],
    ['an address that is not ours', { ...own, host: '169.254.1.1' }],
    ['an address that starts with one of ours', { ...own, host: '127.0.0.1.evil.example' }],
    ['a foreign origin', { ...own, origin: 'http://evil.example' }],
    ['an origin that resolves to this machine', { ...own, origin: 'http://127.0.0.1:8080' }],
    ['an opaque origin', { ...own, origin: 'null' }],
    ['no header from Faultline', {}],
  ])('rejects a request with %s without revealing anything', async (_, headers) => {
    const service = await open({ incidents: 20 })
    for (const name of READERS) {
      const [status, text] = await ask(`${service.baseUrl}/_sandbox/${name}`, headers)
      expect([name, status]).toEqual([name, 403])
      expect(text).not.toContain(service.appKey)
      expect(text).not.toContain('incident_id')
    }
    const simple = { ...headers, 'content-type': 'text/plain' }
    for (const [name, body] of [
      ['faults', '{"status_500":1}'],
      ['clock', '{"advance_s":60}'],
    ] as const) {
      expect((await ask(`${service.baseUrl}/_sandbox/${name}`, simple, body))[0]).toBe(403)
    }
    expect(service.now()).toBe(NOW)
    expect(await service.control('faults')).toMatchObject({ status_500: 0 })
  })

  test.each(['localhost', 'LOCALHOST:8080', '127.0.0.1', '127.1.2.3:65535', '[::1]:80'])(
    'admits a program on this machine that addresses the service as %s',
    async (host) => {
      const { baseUrl, appKey } = await open({ incidents: 20 })
      const [status, text] = await ask(`${baseUrl}/_sandbox/world`, { ...own, host })
      expect([status, text.includes(appKey)]).toEqual([200, true])
    },
  )

  test('names the missing header, and does not allow cross-origin preflights', async () => {
    const { baseUrl } = await open({ incidents: 20 })
    const [, text] = await ask(`${baseUrl}/_sandbox/world`, {})
    expect(JSON.parse(text).error).toEqual({
      code: 'AccessDenied',
      message: 'Control endpoint of the sandbox: add the header Sec-Faultline-Sandbox: 1.',
    })
    const answer = await fetch(`${baseUrl}/_sandbox/faults`, { method: 'OPTIONS' })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('access-control-allow-headers')).toBeNull()
  })

  test('does not restrict ordinary API requests', async () => {
    const { baseUrl, appKey } = await open({ incidents: 20 })
    const headers = { host: 'service.example', 'content-type': 'application/json' }
    const [status] = await ask(`${baseUrl}/member/list?app_key=${appKey}`, headers, '{}')
    expect(status).toBe(200)
  })
})
