import { describe, expect, it } from 'vitest'
import { parseRedirect } from '../../src/client/redirect.ts'
import { text } from '../support/server.ts'
import { errorOf, LIST, withService } from './service-fixture.ts'

const KEY = 'k/+ =é'

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'is reported with its target, but without the query: HTTP %i',
    async (status) => {
      const step = text(status, '', {
        location: 'https://eu.service.example/v1/incident/list?app_key=the-key&a=1#b',
      })
      await withService([step], async (client, { seen }) => {
        const error = await errorOf(client.read('incident/list', LIST))
        expect(error).toMatchObject({
          message: `incident/list: the service redirects to https://eu.service.example/v1/incident/list (HTTP ${status})`,
          next: 'Set `baseUrl` to https://eu.service.example/v1 if that is your service.',
          code: `HTTP ${status}`,
        })
        expect(seen).toHaveLength(1)
      })
    },
  )

  it('to a login page is reported with advice to check `baseUrl`', async () => {
    const step = text(302, '<html>', { location: '/login?next=%2Fincident%2Flist' })
    await withService([step], async (client, { baseUrl }) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error.message).toBe(`incident/list: the service redirects to ${baseUrl}/login (HTTP 302)`)
      expect(error.next).toMatch(/Check `baseUrl`: a login page or a proxy/)
    })
  })

  it.each([
    ['no Location', {}],
    ['a target that is not HTTP', { location: 'javascript:alert(1)' }],
    ['an invalid address', { location: 'https://[' }],
  ])('is reported with only its status if it has %s', async (_, headers) => {
    await withService([text(302, '', headers as Record<string, string>)], async (client) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error.message).toBe('incident/list: HTTP 302')
      expect(error.next).toContain('Check `baseUrl`')
    })
  })

  it('is reported as a service error if its body contains a service error', async () => {
    const body = '{"request_id":"r","error":{"code":"AccessDenied","message":"No."}}'
    await withService([text(302, body, { location: '/login' })], async (client) => {
      expect((await errorOf(client.read('incident/list', LIST))).message).toContain('AccessDenied: No.')
    })
  })

  it.each([
    `/a/${encodeURIComponent(KEY)}/incident/list`,
    `/a/${encodeURIComponent(encodeURIComponent(KEY))}/incident/list`,
    `/a?app_key=${encodeURIComponent(KEY)}`,
    `https://u:${encodeURIComponent(KEY)}@other.example/incident/list`,
    `/${'x'.repeat(170)}/${encodeURIComponent(KEY)}`,
  ])('is reported without the app key in its target: %s', async (location) => {
    await withService(
      [text(302, '', { location })],
      async (client) => {
        const error = await errorOf(client.read('incident/list', LIST))
        const shown = decodeURIComponent(decodeURIComponent(`${error.message} ${error.next}`))
        expect(shown).toContain('redirects to')
        expect(shown).not.toContain('k/')
      },
      { appKey: KEY },
    )
  })
})

describe('parseRedirect', () => {
  const from = (location: string, baseUrl = 'https://service.example/api') =>
    parseRedirect(location, baseUrl, '/team/infos')

  it.each([
    ['https://eu.example/team/infos', 'https://eu.example/team/infos', 'https://eu.example'],
    ['//eu.example/api/team/infos', 'https://eu.example/api/team/infos', 'https://eu.example/api'],
    ['/v2/team/infos', 'https://service.example/v2/team/infos', 'https://service.example/v2'],
    // These lead to another operation, or to the same address.
    ['/team/infos/', 'https://service.example/team/infos/', undefined],
    ['', 'https://service.example/api/team/infos', undefined],
    ['infos?a', 'https://service.example/api/team/infos', undefined],
    ['http://eu.example/team/infos', 'http://eu.example/team/infos', undefined],
    ['https://user:secret@eu.example/team/infos', 'https://eu.example/team/infos', 'https://eu.example'],
    ['https://eu.example/\u001b[31m\u202e', 'https://eu.example/%1B[31m%E2%80%AE', undefined],
    [`https://eu.example/${'x'.repeat(10_000)}/team/infos`, 'https://eu.example', undefined],
  ])('resolves %j to %j', (location, place, baseUrl) => {
    expect(from(location)).toEqual({ place, baseUrl })
  })

  it('returns the new base address for a redirect from HTTP to HTTPS', () => {
    const target = from('https://service.example/team/infos', 'http://service.example')
    expect(target?.baseUrl).toBe('https://service.example')
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://',
    `https://${'h'.repeat(10_000)}.example/`,
  ])('ignores the invalid target %j', (location) => {
    expect(from(location)).toBeUndefined()
  })
})
