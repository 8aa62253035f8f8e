import { describe, expect, it } from 'vitest'
import { ContractError, ServiceError } from '../../src/errors.ts'
import { data, failure, type Step, text } from '../support/server.ts'
import { errorOf, LIST, withService } from './service-fixture.ts'

const items = data('{"items":[]}')
const page = '<html>Back in a minute</html>'
const html: Step = text(200, page, { 'content-type': 'text/html' })

const foreign: [string, Step][] = [
  ['an HTML page', html],
  ['a page with status 401', text(401, page)],
  ['a page with status 403', text(403, page)],
  ['a page with status 404', text(404, page)],
  ['a redirect to a login page', text(302, page, { location: 'https://sso.example/login' })],
  ['a JSON list', text(200, '[1]')],
  ['a JSON number', text(200, '17')],
  ['a JSON null', text(200, 'null')],
  ['a JSON string', text(200, '"maintenance"')],
  ['a JSON object without an envelope', text(200, '{"message":"maintenance"}')],
  ['an error that is not an envelope', text(200, '{"error":"maintenance"}')],
]

describe('a response from a proxy or login page', () => {
  it.each(foreign)('ends the call when it arrives for the third time: %s', async (_, step) => {
    await withService([items, step], async (client, { seen }) => {
      await client.read('incident/list', LIST)
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error.message).toContain('(3 attempts in ')
      expect(seen).toHaveLength(4)
    })
  })

  it.each(foreign)('ends the call immediately if it is the first response: %s', async (_, step) => {
    await withService([step, items], async (client, { seen }) => {
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error.next).toContain('`baseUrl`')
      expect(seen).toHaveLength(1)
    })
  })

  it('is counted separately from gateway errors', async () => {
    const down = text(502, page)
    await withService([items, down, down, html, down, html, items], async (client, { seen }) => {
      await client.read('incident/list', LIST)
      await client.read('incident/list', LIST)
      expect(seen).toHaveLength(7)
    })
  })

  it('is reported as transient if the service itself has responded before', async () => {
    await withService([items, html], async (client) => {
      await client.read('incident/list', LIST)
      const error = await errorOf(client.read('incident/list', LIST))
      expect(error).toBeInstanceOf(ContractError)
      expect(error.next).toMatch(/Run it again later/)
      expect(error.next).not.toContain('baseUrl')
    })
  })

  it('does not lead to a retry of a write', async () => {
    await withService([items, html], async (client, { seen }) => {
      await client.read('incident/list', LIST)
      const error = await errorOf(client.call('role/disable', { role_id: 9 }))
      expect(error.next).toContain('The service may have acted')
      expect(seen).toHaveLength(2)
    })
  })
})

describe('a service error', () => {
  it.each([
    ['a known code', failure(403, 'AccessDenied')],
    ['an unknown code', failure(403, 'PrivateRecord')],
  ])('with %s is never retried, even after successful calls', async (_, step) => {
    await withService([items, step], async (client, { seen }) => {
      await client.read('incident/list', LIST)
      expect(await errorOf(client.read('incident/list', LIST))).toBeInstanceOf(ServiceError)
      expect(seen).toHaveLength(2)
    })
  })
})

describe('an empty body with status 200', () => {
  it('leads to retries, like a truncated response', async () => {
    await withService(
      [items, text(200, ''), text(200, ''), text(200, ''), items],
      async (client, { seen }) => {
        await client.read('incident/list', LIST)
        await client.read('incident/list', LIST)
        expect(seen).toHaveLength(5)
      },
    )
  })
})
