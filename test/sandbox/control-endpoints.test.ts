import { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { buildWorld } from '../../src/sandbox/world/build-world.ts'
import { DAY, type Json, NOW, open, talk } from '../support/sandbox.ts'
import { sideDoor } from '../support/side-door.ts'

test('a control endpoint of the sandbox returns 500 and logs a warning if its handler fails', async () => {
  const warnings: string[] = []
  const fail = () => {
    throw new Error('the world is broken')
  }
  const sandbox = await startSandbox({ warn: (message) => warnings.push(message) }, (clock) => {
    const world = buildWorld({ seed: 1, incidents: 20, anchor: NOW }, clock)
    return { ...world, alertIds: fail, incidents: { ...world.incidents, json: fail } }
  })
  onTestFinished(() => sandbox.close())
  const failed = await sideDoor(sandbox.baseUrl, 'world')
  expect(failed.status).toBe(500)
  expect(await failed.json()).toMatchObject({ error: { code: 'InternalError' } })
  // The head of this response was sent, so the response is cut off.
  await expect(sideDoor(sandbox.baseUrl, 'truth').then((answer) => answer.text())).rejects.toThrow()
  expect(warnings).toEqual(
    ['world', 'truth'].map((name) =>
      expect.stringMatching(`^/_sandbox/${name} failed, request \\w+: Error: the world is broken`),
    ),
  )
  expect((await sideDoor(sandbox.baseUrl, 'clock')).status).toBe(200)
})

describe('the control endpoints of the sandbox', () => {
  test('list only usable ids in `world`', async () => {
    const service = await open()
    const world = await service.control('world')
    expect([world.base_url, world.now]).toEqual([service.baseUrl, NOW])
    const uses: [string, (id: Json) => Json][] = [
      ['incidents', (id) => ['/incident/comment', { incident_ids: [id], comment: 'x' }]],
      ['alerts', (alert_id) => ['/alert/info', { alert_id }]],
      ['channels', (channel_id) => ['/channel/info', { channel_id }]],
      ['disabled_channels', (channel_id) => ['/channel/enable', { channel_id }]],
      ['disabled_exclusion_rules', (rule) => ['/channel/unsubscribe/rule/enable', rule]],
      ['free_templates', (template_id) => ['/template/delete', { template_id }]],
      ['rules', (id) => ['/monit/rule/delete', { id }]],
      ['folders', (folder_id) => ['/monit/rule/status', { folder_id }]],
      ['custom_roles', (role_id) => ['/role/disable', { role_id }]],
    ]
    for (const [kind, use] of uses) {
      expect(world[kind].length, kind).toBeGreaterThan(0)
      expect(world[kind].length).toBeLessThanOrEqual(20)
      for (const id of world[kind]) {
        const [path, body] = use(id)
        expect((await service.post(path, body)).status, `${kind} ${path} ${String(id)}`).toBe(200)
      }
    }
    for (const kind of [
      'teams',
      'schedules',
      'members',
      'calendars',
      'builtin_roles',
      'referenced_templates',
    ]) {
      expect(world[kind].length, kind).toBeGreaterThan(0)
    }
    for (const post_mortem_id of world.post_mortems) {
      expect((await service.get('/incident/post-mortem/info', { post_mortem_id })).status).toBe(200)
    }
  })

  test('list a configured app key as the key with all permissions', async () => {
    const appKey = 'k/secret+ =é%&'
    const service = await open({ appKey })
    expect(service.appKey).toBe(appKey)
    expect((await service.post('/team/infos', { team_ids: [] })).status).toBe(200)
    expect((await service.control('world')).app_keys.all).toBe(appKey)
  })

  test('return the same bytes for each incident in `truth` as in the incident list', async () => {
    const service = await open()
    const lines = (await (await sideDoor(service.baseUrl, 'truth')).text()).trimEnd().split('\n')
    const response = await fetch(`${service.baseUrl}/incident/list?app_key=${service.appKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ start_time: NOW - 31 * DAY, end_time: NOW, asc: true, limit: 100 }),
    })
    const text = await response.text()
    const first = JSON.parse(text).data.items[0].incident_id
    const from = lines.findIndex((line) => line.includes(first))
    expect(text).toContain(`"items":[${lines.slice(from, from + 100).join(',')}]`)
  })

  test('accept only `now` or `advance_s` in `clock`', async () => {
    const service = await open()
    const move = async (body: unknown) => {
      const response = await sideDoor(service.baseUrl, 'clock', JSON.stringify(body))
      return [response.status, await response.json()]
    }
    expect(await move({ advance_s: 60 })).toEqual([200, { now: NOW + 60 }])
    expect(await move({ now: NOW + 5 })).toEqual([200, { now: NOW + 5 }])
    expect(service.now()).toBe(NOW + 5)
    for (const body of [
      {},
      { now: 'x' },
      { now: 1.5 },
      { advance_s: 2 ** 40 },
      { now: 1, advance_s: 1 },
      null,
    ]) {
      expect((await move(body))[0]).toBe(400)
    }
    expect(service.now()).toBe(NOW + 5)
  })

  test('count requests by operation and status in `stats`', async () => {
    const service = await open()
    await service.post('/team/infos', { team_ids: [] })
    await service.post('/team/infos', {})
    await service.post('/nowhere', {})
    await service.post('/team/infos', {}, 'no key')
    const stats = await service.control('stats')
    expect(stats).toMatchObject({
      requests: 4,
      operations: { 'team/infos': { 200: 1, 400: 1, 401: 1 }, '(unknown)': { 404: 1 } },
      rate_limited: 0,
      beyond_limits: 0,
      most_in_1s: { offered: 4, accepted: 3 },
    })
  })

  test('return 404 for an unknown name or a wrong method', async () => {
    const service = await open()
    for (const [name, method] of [
      ['nothing', 'GET'],
      ['world', 'POST'],
      ['__proto__', 'GET'],
      ['truth', 'POST'],
    ] as const) {
      const body = method === 'POST' ? '{}' : undefined
      expect((await sideDoor(service.baseUrl, name, body)).status).toBe(404)
    }
  })

  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find((one) => !one.internal && one.family === 'IPv4')

  test.skipIf(outside === undefined)(
    'answer only requests from this machine, even if the API is open to other machines',
    async () => {
      const sandbox = await startSandbox({ host: '0.0.0.0', incidents: 10, now: NOW })
      const baseUrl = `http://${outside!.address}:${sandbox.port}`
      const service = talk({ ...sandbox, baseUrl })
      expect((await service.post('/member/list', {})).status).toBe(200)
      expect((await sideDoor(baseUrl, 'world')).status).toBe(404)
      await sandbox.close()
    },
  )
})
