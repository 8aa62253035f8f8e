import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { NOW, open } from '../support/sandbox.ts'

/** Without these checks, a web page whose host name resolves to this machine could read keys and set faults. */

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
    ['a host name that only starts with localhost', { ...own, host: 'localhost.evil.example:80' }],
    ['a host name that only ends with localhost', { ...own, host: 'evil-localhost' }],
    ['an IP address of another machine', { ...own, host: '169.254.1.1' }],
    ['a host name that only starts with 127.0.0.1', { ...own, host: '127.0.0.1.evil.example' }],
    ['a foreign origin', { ...own, origin: 'http://evil.example' }],
    ['the origin of a page on this machine', { ...own, origin: 'http://127.0.0.1:8080' }],
    ['an opaque origin', { ...own, origin: 'null' }],
    ['no `Sec-Faultline-Sandbox` header', {}],
  ])('rejects a request with %s and reveals no incidents', async (_, headers) => {
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
    'accepts a request from this machine to the host %s',
    async (host) => {
      const { baseUrl, appKey } = await open({ incidents: 20 })
      const [status, text] = await ask(`${baseUrl}/_sandbox/world`, { ...own, host })
      expect([status, text.includes(appKey)]).toEqual([200, true])
    },
  )

  test('names the missing header in its error message', async () => {
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

  test('does not extend its host check to ordinary API requests', async () => {
    const { baseUrl, appKey } = await open({ incidents: 20 })
    const headers = { host: 'service.example', 'content-type': 'application/json' }
    const [status] = await ask(`${baseUrl}/member/list?app_key=${appKey}`, headers, '{}')
    expect(status).toBe(200)
  })
})
