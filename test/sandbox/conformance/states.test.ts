import { describe, expect, test } from 'vitest'
import { DAY, type Json, open, readAll, type Talk } from '../../support/sandbox.ts'
import { dataOf, expectFailure } from './expectations.ts'

async function start(): Promise<{
  service: Talk
  world: Json
  data(path: string, body: unknown): Promise<Json>
}> {
  const service = await open()
  return {
    service,
    world: await service.control('world'),
    data: async (path, body) => dataOf(await service.post(path, body)),
  }
}

async function stateOf(service: Talk, kind: string, field: string, id: unknown) {
  return (await service.control('state'))[kind].find((one: Record<string, unknown>) => one[field] === id)
}

describe('the sandbox', () => {
  test('routes incidents to a channel again after POST /channel/enable', async () => {
    const { service, world, data } = await start()
    expect(world.disabled_channels.length).toBeGreaterThan(1)
    const [channel_id, other] = world.disabled_channels
    expect((await data('/channel/info', { channel_id })).status).toBe('disabled')
    await data('/channel/enable', { channel_id })
    expect((await data('/channel/info', { channel_id })).status).toBe('enabled')
    expect((await data('/channel/info', { channel_id: other })).status).toBe('disabled')
    const now = service.now()
    await service.advance(30 * DAY)
    const routed = async (id: unknown) =>
      (await readAll(service, { start_time: now, end_time: now + 30 * DAY, channel_ids: [id] })).items.length
    expect(await routed(channel_id)).toBeGreaterThan(0)
    expect(await routed(other)).toBe(0)
    const earlier = { start_time: now - 19 * DAY, end_time: now, channel_ids: [channel_id] }
    expect((await readAll(service, earlier)).items).toEqual([])
  })

  test('leaves an enabled channel unchanged when the channel is enabled again', async () => {
    const { service, world, data } = await start()
    const before = await data('/channel/info', { channel_id: world.channels[0] })
    expect(await data('/channel/enable', { channel_id: world.channels[0] })).toEqual({})
    expect(await data('/channel/info', { channel_id: world.channels[0] })).toEqual(before)
    const deleted = (await service.control('state')).channels.find(
      (one: { status: string }) => one.status === 'deleted',
    )
    expectFailure(
      await service.post('/channel/enable', { channel_id: deleted.channel_id }),
      400,
      'ResourceNotFound',
    )
  })

  test('enables an exclusion rule of a channel with POST /channel/unsubscribe/rule/enable', async () => {
    const { service, world, data } = await start()
    const [rule, other] = world.disabled_exclusion_rules
    await data('/channel/unsubscribe/rule/enable', rule)
    expect((await stateOf(service, 'exclusionRules', 'rule_id', rule.rule_id)).status).toBe('enabled')
    expect((await stateOf(service, 'exclusionRules', 'rule_id', other.rule_id)).status).toBe('disabled')
    expect((await service.control('world')).disabled_exclusion_rules).not.toContainEqual(rule)
    const mixed = { channel_id: rule.channel_id, rule_id: other.rule_id }
    expectFailure(await service.post('/channel/unsubscribe/rule/enable', mixed), 400, 'ResourceNotFound')
  })

  test('withdraws the permissions of a role immediately with POST /role/disable', async () => {
    const { service, world, data } = await start()
    const name = 'incident view (on-call)'
    const body = { start_time: service.now() - DAY, end_time: service.now() }
    dataOf(await service.post('/incident/list', body, service.key(name)))
    const role = (await service.control('state')).roles.find(
      (one: { built_in: boolean; permissions: string[] }) => !one.built_in && one.permissions.join() === name,
    )
    expect(world.custom_roles).toContain(role.role_id)
    const granted = async () => (await data('/role/permission/list', { role_ids: [role.role_id] })).items
    expect((await granted()).map((one: { permission_name: string }) => one.permission_name)).toEqual([
      'incident view',
    ])
    await data('/role/disable', { role_id: role.role_id })
    expect(await granted()).toEqual([])
    expectFailure(await service.post('/incident/list', body, service.key(name)), 403, 'AccessDenied')
    dataOf(await service.post('/incident/list', body))
  })

  test('disables only custom roles, not built-in roles', async () => {
    const { service, world } = await start()
    expect(world.builtin_roles).toEqual([2, 6, 8])
    for (const role_id of world.builtin_roles) {
      expectFailure(await service.post('/role/disable', { role_id }), 403, 'AccessDenied')
    }
  })

  test('changes only the listed fields of a rule with POST /monit/rule/update/fields', async () => {
    const { service, world, data } = await start()
    const [first, second, third] = world.rules
    const before = (await service.control('state')).rules
    const answer = await data('/monit/rule/update/fields', {
      ids: [first, second, 7],
      fields: ['enabled', 'channel_ids'],
      enabled: false,
      channel_ids: [1, 2],
      timezone: 'Europe/Berlin',
      threshold: 9,
    })
    expect(answer.map((one: { message: string }) => one.message)).toEqual([
      '',
      '',
      expect.stringMatching(/./),
    ])
    const old = before.find((one: { id: unknown }) => one.id === first)
    for (const id of [first, second]) {
      const rule = await stateOf(service, 'rules', 'id', id)
      expect([rule.enabled, rule.channel_ids, rule.timezone]).toEqual([false, [1, 2], 'Asia/Shanghai'])
      expect(rule).not.toHaveProperty('threshold')
    }
    expect(await stateOf(service, 'rules', 'id', third)).toEqual(
      before.find((one: { id: unknown }) => one.id === third),
    )
    expect((await stateOf(service, 'rules', 'id', first)).name).toBe(old.name)
    await data('/monit/rule/update/fields', {
      ids: [first],
      fields: ['enabled', 'threshold'],
      enabled: true,
      threshold: 9,
    })
    expect(await stateOf(service, 'rules', 'id', first)).toMatchObject({ enabled: true, threshold: 9 })
  })

  test('never triggers a disabled monitoring rule', async () => {
    const { service, world, data } = await start()
    const folder = world.folders[0]
    const ids = (await service.control('state')).rules.map((one: { id: unknown }) => one.id)
    const triggered = async () =>
      (await data('/monit/rule/status', { folder_id: folder })).reduce(
        (sum: number, one: { triggered_rule_count: number }) => sum + one.triggered_rule_count,
        0,
      )
    while ((await triggered()) === 0) await service.advance(1_800)
    await data('/monit/rule/update/fields', { ids, fields: ['enabled'], enabled: false })
    expect(await triggered()).toBe(0)
  })

  test('keeps the record of a template deleted with POST /template/delete', async () => {
    const { service, world, data } = await start()
    const template_id = world.free_templates[0]
    expect(await data('/template/delete', { template_id })).toEqual({})
    expect(await stateOf(service, 'templates', 'template_id', template_id)).toMatchObject({
      deleted_at: service.now(),
    })
    expect((await service.control('world')).free_templates).not.toContain(template_id)
    expectFailure(await service.post('/template/delete', { template_id }), 400, 'ResourceNotFound')
  })

  test('does not delete a referenced template or the preset template', async () => {
    const { service, world } = await start()
    const [template_id] = world.referenced_templates
    expectFailure(await service.post('/template/delete', { template_id }), 400, 'ReferenceExist')
    expect((await stateOf(service, 'templates', 'template_id', template_id)).deleted_at).toBe(0)
    const preset = { template_id: '000000000000000000000001' }
    expectFailure(await service.post('/template/delete', preset), 403, 'AccessDenied')
  })

  test('records the deletion of a monitoring rule in the audit log', async () => {
    const { service, world, data } = await start()
    const total = async () =>
      (await data('/monit/rule/status', { folder_id: 0 })).reduce(
        (sum: number, one: { rule_total: number }) => sum + one.rule_total,
        0,
      )
    const before = await total()
    await data('/monit/rule/delete', { id: world.rules[0] })
    expect(await total()).toBe(before - 1)
    expectFailure(await service.post('/monit/rule/delete', { id: world.rules[0] }), 400, 'ResourceNotFound')
    expect(await service.control('audit')).toMatchObject([{ operation: 'monit/rule/delete', audited: true }])
  })

  test('revokes a role only from the listed members with POST /role/member/revoke', async () => {
    const { data } = await start()
    const holders = async () =>
      (await data('/member/list', { role_id: 6 })).items.map((one: { member_id: unknown }) => one.member_id)
    const before = await holders()
    const others = (await data('/member/list', { role_id: 2 })).items.map(
      (one: { member_id: unknown }) => one.member_id,
    )
    const body = { member_ids: [before[0], before[3], others[0], 7], role_id: 6 }
    expect(await data('/role/member/revoke', body)).toEqual({})
    const gone = new Set([before[0], before[3]])
    expect(new Set(await holders())).toEqual(new Set(before.filter((id: unknown) => !gone.has(id))))
    expect((await data('/member/list', { role_id: 2 })).items.length).toBe(others.length)
  })

  test('denies a key the permissions of a revoked role immediately', async () => {
    const { service, data } = await start()
    const name = 'alert rule management (monit)'
    const state = await service.control('state')
    const role = state.roles.find((one: { permissions: string[] }) => one.permissions.join() === name)
    const holders = (await data('/member/list', { role_id: role.role_id })).items
    dataOf(await service.post('/monit/rule/status', { folder_id: 0 }, service.key(name)))
    const member_ids = holders.map((one: { member_id: unknown }) => one.member_id)
    await data('/role/member/revoke', { role_id: role.role_id, member_ids })
    expectFailure(
      await service.post('/monit/rule/status', { folder_id: 0 }, service.key(name)),
      403,
      'AccessDenied',
    )
  })

  test('records only accepted writes in the audit log', async () => {
    const { service, world } = await start()
    const done = await service.post('/role/member/revoke', { member_ids: [1], role_id: 6 })
    await service.post('/role/disable', { role_id: 2 })
    await service.post('/member/list', {})
    await service.advance(60)
    const second = await service.post('/incident/comment', {
      incident_ids: world.incidents.slice(0, 1),
      comment: 'x',
    })
    expect(await service.control('audit')).toEqual([
      expect.objectContaining({
        operation: 'role/member/revoke',
        key: 'all',
        at: service.now() - 60,
        request_id: done.body.request_id,
        audited: true,
        request: { member_ids: [1], role_id: 6 },
      }),
      expect.objectContaining({
        operation: 'incident/comment',
        request_id: second.body.request_id,
        audited: false,
      }),
    ])
  })
})
