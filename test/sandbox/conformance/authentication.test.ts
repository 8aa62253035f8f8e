import { beforeAll, describe, expect, test } from 'vitest'
import { type Json, open, type Talk } from '../../support/sandbox.ts'
import { dataOf, expectFailure } from './expectations.ts'
import { call, ROWS } from './operations.ts'

let service: Talk
let world: Json
beforeAll(async () => {
  service = await open()
  world = await service.control('world')
})

describe('the sandbox', () => {
  test('checks the app key of a request before anything else', async () => {
    for (const url of [
      '/incident/list',
      '/no/such/path',
      '/incident/list?app_key=',
      '/incident/list?app_key=x',
    ]) {
      const response = await fetch(service.baseUrl + url, { method: 'POST', body: '{not json' })
      const body = (await response.json()) as { error: { code: string } }
      expect([response.status, body.error.code]).toEqual([401, 'Unauthorized'])
    }
  })

  test('accepts the app key only as a query parameter, not in a header', async () => {
    const headers = {
      authorization: `Bearer ${service.appKey}`,
      'x-app-key': service.appKey,
      app_key: service.appKey,
    }
    const response = await fetch(`${service.baseUrl}/member/list`, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(401)
  })

  test('answers a missing or invalid app key with 401 Unauthorized', async () => {
    expectFailure(await service.post('/member/list', {}, ''), 401, 'Unauthorized')
    expectFailure(await service.post('/member/list', {}, `${service.appKey}x`), 401, 'Unauthorized')
    expectFailure(await service.post('/member/list', {}, service.appKey.toUpperCase()), 401, 'Unauthorized')
    expect((await service.post('/member/list', {}, '')).body.error.message).toBe('You are unauthorized.')
  })

  const guarded = ROWS.filter((row) => row.permissions.length > 0)
  test.each(guarded)('requires one of the permissions $permissions for $path', async (row) => {
    const request = row.request(world)
    const names = Object.keys(world.app_keys).filter(
      (name) => name !== 'all' && !row.permissions.includes(name),
    )
    expect(names.length).toBe(11 - row.permissions.length)
    for (const name of names)
      expectFailure(await call(service, row, request, service.key(name)), 403, 'AccessDenied')
    for (const name of row.permissions) {
      const fresh = await open()
      dataOf(await call(fresh, row, row.request(await fresh.control('world')), fresh.key(name)))
    }
  })

  test.each(ROWS.filter((row) => row.permissions.length === 0))(
    'requires only a valid app key for $path',
    async (row) => {
      dataOf(await call(service, row, row.request(world), service.key('none')))
    },
  )

  test('checks the permission before the content of a request', async () => {
    expectFailure(await service.post('/channel/create', {}, service.key('none')), 403, 'AccessDenied')
  })
})
