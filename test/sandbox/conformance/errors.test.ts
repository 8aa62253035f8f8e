import { beforeAll, describe, expect, test } from 'vitest'
import { open, type Talk } from '../../support/sandbox.ts'
import { dataOf, expectFailure } from './expectations.ts'
import { call, ROWS } from './operations.ts'

let service: Talk
beforeAll(async () => {
  service = await open()
})

async function messageOf(path: string, body: unknown): Promise<string> {
  return (await service.post(path, body)).body.error.message
}

describe('the sandbox', () => {
  test.each(ROWS)('returns 400 InvalidParameter for an invalid request to $path', async (row) => {
    if (row.path === '/member/list')
      expectFailure(await service.post(row.path, { limit: 0 }), 400, 'InvalidParameter', 'limit')
    else if (row.path === '/monit/rule/status') {
      expectFailure(await service.post(row.path, { folder_id: 1.5 }), 400, 'InvalidParameter', 'folder_id')
    } else if (row.path === '/role/permission/list') {
      expectFailure(await service.post(row.path, { role_ids: 'x' }), 400, 'InvalidParameter', 'role_ids')
    } else expectFailure(await call(service, row, {}), 400, 'InvalidParameter')
  })

  test('names the invalid parameter in the message of InvalidParameter', async () => {
    expect(await messageOf('/channel/info', [])).toBe('The specified parameter is not valid.')
    expect(await messageOf('/channel/info', { channel_id: 'seven' })).toBe(
      'The specified parameter channel_id is not valid.',
    )
    expect(await messageOf('/channel/update', { channel_id: 1, group: { method: 'q' } })).toBe(
      'The specified parameter group.method is not valid.',
    )
  })

  const missing: [string, Record<string, unknown>][] = [
    ['/alert/info', { alert_id: 'f'.repeat(24) }],
    ['/channel/info', { channel_id: 7 }],
    ['/channel/update', { channel_id: 7 }],
    ['/channel/enable', { channel_id: 7 }],
    ['/channel/unsubscribe/rule/enable', { channel_id: 7, rule_id: 'f'.repeat(24) }],
    ['/channel/create', { team_id: 7, channel_name: 'x' }],
    ['/calendar/create', { cal_name: 'x', team_id: 7 }],
    ['/template/delete', { template_id: 'f'.repeat(24) }],
    ['/monit/rule/delete', { id: 7 }],
    ['/monit/rule/status', { folder_id: 7 }],
    ['/role/disable', { role_id: 7 }],
    ['/role/member/revoke', { role_id: 7, member_ids: [1] }],
    ['/incident/comment', { incident_ids: ['f'.repeat(24)], comment: 'x' }],
  ]
  test.each(missing)('answers %s with 400 ResourceNotFound for an unknown id', async (path, body) => {
    expectFailure(await service.post(path, body), 400, 'ResourceNotFound')
  })

  test('returns ResourceNotFound for a missing post-mortem with an id of any format', async () => {
    const path = '/incident/post-mortem/info'
    expectFailure(await service.get(path, { post_mortem_id: 'f'.repeat(32) }), 400, 'ResourceNotFound')
    expectFailure(await service.get(path, { post_mortem_id: 'pm-7/ü ?&' }), 400, 'ResourceNotFound')
    expectFailure(await service.get(path), 400, 'InvalidParameter', 'post_mortem_id')
  })

  test('returns 404 for an unknown path and 405 for a wrong method', async () => {
    expectFailure(await service.post('/incident/delete', {}), 404, 'RouteNotFound')
    expectFailure(await service.post('/incident/list/', {}), 404, 'RouteNotFound')
    expectFailure(await service.get('/incident/list'), 405, 'MethodNotAllowed')
    expectFailure(await service.post('/incident/post-mortem/info', {}), 405, 'MethodNotAllowed')
  })

  test('rejects a request body that is not JSON', async () => {
    for (const body of ['', '{', 'null', '"x"', '[1', '{"a":01}', 'undefined']) {
      expectFailure(await service.post('/member/list', body), 400, 'InvalidParameter')
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: '{}' }
      const response = await fetch(`${service.baseUrl}/member/list?app_key=${service.appKey}`, init)
      const body = (await response.json()) as { error: { code: string } }
      expect([response.status, body.error.code]).toEqual([400, 'InvalidContentType'])
    }
  })

  test('rejects a request body of more than 10 MB with 413 EntityTooLarge', async () => {
    const padded = (bytes: number) => `{"query":"${'x'.repeat(bytes - 12)}"}`
    expect(dataOf(await service.post('/member/list', padded(10 * 1024 * 1024))).items).toEqual([])
    expectFailure(await service.post('/member/list', padded(10 * 1024 * 1024 + 1)), 413, 'EntityTooLarge')
  })

  test('ignores unknown request fields and optional fields that are null', async () => {
    const plain = dataOf(await service.post('/member/list', { limit: 3 }))
    const noisy = { limit: 3, p: null, query: null, role_id: null, orderby: null, asc: null, colour: 'red' }
    expect(dataOf(await service.post('/member/list', noisy))).toEqual(plain)
  })
})
