import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { ConfigError, ContractError } from '../../src/errors.ts'
import { data, scriptedServer } from '../support/server.ts'
import { errorOf, hurried, withService } from './service-fixture.ts'

const CHANNEL = '{"channel_id":9223372036854775807,"channel_name":"é","status":"enabled","team_id":1}'

describe('a client request', () => {
  it('is a POST with the app key in the query and exact 64-bit ids in the body', async () => {
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

  it('is a GET with its fields in the query if the contract requires a GET', async () => {
    const id = "a b/ü?&=%20#'"
    const report = `{"meta":{"post_mortem_id":"${id}","updated_at_seconds":1},"basics":{},"content":{}}`
    await withService([data(report)], async (client, { seen }) => {
      await client.call('incident/post-mortem/info', { post_mortem_id: id })
      expect(seen[0]).toMatchObject({ method: 'GET', path: '/incident/post-mortem/info', body: '' })
      expect(Object.fromEntries(seen[0]?.query ?? [])).toEqual({ app_key: 'the-key', post_mortem_id: id })
    })
  })

  it('keeps the path of `baseUrl`', async () => {
    await using server = await scriptedServer(data('{"items":[]}'))
    const client = createClient({ baseUrl: `${server.baseUrl}/api/v1/`, appKey: 'k', effects: hurried() })
    await client.call('team/infos', { team_ids: [] })
    expect(server.seen[0]?.path).toBe('/api/v1/team/infos')
    await client.close()
  })

  it('is not sent if it violates the contract', async () => {
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

describe('client options', () => {
  const good = { baseUrl: 'http://127.0.0.1', appKey: 'k' }
  it.each([
    ['an empty key', { appKey: '' }],
    ['an invalid address', { baseUrl: 'service' }],
    ['a scheme other than HTTP', { baseUrl: 'ftp://host' }],
    ['a user in the address', { baseUrl: 'http://me:pw@host' }],
    ['a quota of 0', { quota: 0 }],
    ['a quota above 1', { quota: 1.5 }],
    ['a quota that is not a number', { quota: Number.NaN }],
    ['a timeout of 0', { timeoutMs: 0 }],
  ])('are rejected if invalid: %s', (_, wrong) => {
    expect(() => createClient({ ...good, ...wrong })).toThrow(ConfigError)
  })
})
