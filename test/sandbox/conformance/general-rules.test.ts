import { beforeAll, describe, expect, test } from 'vitest'
import { expectPromised } from '../../support/contract-check.ts'
import { DAY, type Json, NOW, open, type Talk } from '../../support/sandbox.ts'
import { dataOf, expectFailure } from './expectations.ts'
import { call, ROWS } from './operations.ts'

let service: Talk
let world: Json
beforeAll(async () => {
  service = await open()
  world = await service.control('world')
})

describe('the sandbox', () => {
  test('has 20 operations, all with POST except the post-mortem read', () => {
    expect(ROWS.length).toBe(20)
    expect(ROWS.filter((row) => row.method === 'GET').map((row) => row.path)).toEqual([
      '/incident/post-mortem/info',
    ])
  })

  const EMPTY = [
    '/incident/comment',
    '/channel/enable',
    '/channel/unsubscribe/rule/enable',
    '/template/delete',
    '/monit/rule/delete',
    '/role/member/revoke',
    '/role/disable',
  ]
  test.each(EMPTY)('returns an empty object as the data of %s', async (path) => {
    const fresh = await open()
    const row = ROWS.find((one) => one.path === path)!
    expect(dataOf(await call(fresh, row, row.request(await fresh.control('world'))))).toEqual({})
  })

  test('returns 0 for the close and acknowledgement times of a triggered incident', async () => {
    const body = { start_time: NOW - 31 * DAY, end_time: NOW, progress: 'Triggered' }
    const { items } = dataOf(await service.post('/incident/list', body))
    expect(items.length).toBeGreaterThan(0)
    for (const item of items) {
      expect(item.start_time).toBeGreaterThan(NOW - 31 * DAY)
      expect([item.close_time, item.ack_time]).toEqual([0, 0])
    }
  })

  test('accepts and returns numeric ids exactly, even beyond 2^53', async () => {
    const long = world.members.find((id: unknown) => typeof id === 'bigint')
    expect(long).toBeGreaterThan(2n ** 53n)
    const { items } = dataOf(await service.post('/member/list', {}))
    expect(items.map((one: { member_id: unknown }) => one.member_id)).toContain(long)
    const largest = { channel_id: 2n ** 63n - 1n }
    expectFailure(await service.post('/channel/info', largest), 400, 'ResourceNotFound')
  })
})

/** `open` compares every response with the contract, so these tests check only what the contract cannot express. */
describe('a response of the sandbox', () => {
  test('is rejected by the tests if the contract does not allow it', () => {
    expect(() => expectPromised('/team/infos', { items: [{ team_id: 1, team_name: 'a' }] })).toThrow(
      'items.0.person_ids',
    )
  })

  test('contains incidents whose fields agree with each other', async () => {
    const { items } = dataOf(
      await service.post('/incident/list', { start_time: NOW - 31 * DAY, end_time: NOW, limit: 100 }),
    )
    expect(items.length).toBe(100)
    for (const item of items) {
      if (item.responders.length === 0) expect(item.assigned_to.person_ids).toEqual([])
      expect(item).not.toHaveProperty('alerts')
      expect([
        item.data_source_id,
        item.data_source_ids,
        item.data_source_type,
        item.data_source_types,
      ]).toEqual([item.integration_id, item.integration_ids, item.integration_type, item.integration_types])
    }
  })

  test('contains every schedule under both of its names', async () => {
    const { items } = dataOf(await service.post('/schedule/infos', { schedule_ids: world.schedules }))
    expect(items.length).toBe(world.schedules.length)
    for (const item of items)
      expect([item.schedule_id, item.schedule_name, item.group_id]).toEqual([
        item.id,
        item.name,
        item.team_id,
      ])
  })

  test('contains the requested alert, and its incident', async () => {
    expect(world.incidents.length).toBe(20)
    for (const alert_id of world.alerts) {
      const alert = dataOf(await service.post('/alert/info', { alert_id }))
      expect(alert).toMatchObject({ alert_id, incident: { incident_id: expect.any(String) } })
    }
  })

  test('contains masked phone numbers of members', async () => {
    for (const { phone } of dataOf(await service.post('/member/list', {})).items)
      if (phone !== '') expect(phone).toMatch(/^\+\d+\*{4}\d{4}$/)
  })

  test('contains permissions of three scopes', async () => {
    const { items } = dataOf(await service.post('/role/permission/list', { with_all: true }))
    const scopes = new Set(items.map((one: { scope: string }) => one.scope))
    expect(scopes).toEqual(new Set(['on-call', 'monit', 'organization']))
  })

  test('contains a post-mortem whose incidents link back to the post-mortem', async () => {
    for (const post_mortem_id of world.post_mortems.slice(0, 5)) {
      const report = dataOf(await service.get('/incident/post-mortem/info', { post_mortem_id }))
      const start = report.basics.incidents_earliest_start_seconds
      const { items } = dataOf(
        await service.post('/incident/list', {
          start_time: start,
          end_time: start + 31 * DAY,
          incident_ids: report.meta.incident_ids,
        }),
      )
      expect(items.map((one: { post_mortem_id: string }) => one.post_mortem_id)).toEqual(
        report.meta.incident_ids.map(() => post_mortem_id),
      )
    }
  })

  test('contains a folder with its subfolders', async () => {
    const rows = dataOf(await service.post('/monit/rule/status', { folder_id: world.folders[0] }))
    expect(rows.length).toBe(4)
  })
})
