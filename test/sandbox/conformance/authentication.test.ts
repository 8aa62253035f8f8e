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

describe('Authentication', () => {
  test('1. every call carries the query parameter app_key, which is checked before anything else', async () => {
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

  test('2. no other authentication scheme or header is used', async () => {
    const headers = {
      authorization: `Bearer ${service.appKey}`,
      'x-app-key': service.appKey,
      app_key: service.appKey,
    }
    const response = await fetch(`${service.baseUrl}/member/list`, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(401)
  })

  test('3. a missing or invalid key yields an Unauthorized error', async () => {
    expectFailure(await service.post('/member/list', {}, ''), 401, 'Unauthorized')
    expectFailure(await service.post('/member/list', {}, `${service.appKey}x`), 401, 'Unauthorized')
    expectFailure(await service.post('/member/list', {}, service.appKey.toUpperCase()), 401, 'Unauthorized')
    expect((await service.post('/member/list', {}, '')).body.error.message).toBe('You are unauthorized.')
  })

  const guarded = ROWS.filter((row) => row.permissions.length > 0)
  test.each(guarded)('4. $path requires $permissions', async (row) => {
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
    '4. $path requires only a valid key',
    async (row) => {
      dataOf(await call(service, row, row.request(world), service.key('none')))
    },
  )

  test('the permission is checked before the content of the request', async () => {
    expectFailure(await service.post('/channel/create', {}, service.key('none')), 403, 'AccessDenied')
  })
})
