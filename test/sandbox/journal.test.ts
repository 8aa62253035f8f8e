import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { sandboxClock } from '../../src/sandbox/clock.ts'
import { memoryJournal } from '../../src/sandbox/journal.ts'
import { createService } from '../../src/sandbox/service.ts'
import { buildWorld } from '../../src/sandbox/world/build-world.ts'
import { type Json, NOW, open, type Talk } from '../support/sandbox.ts'
import { sideDoor } from '../support/side-door.ts'
import { scratch } from '../support/warehouse.ts'

const STARTING = new URL('../../dist/sandbox/start-sandbox.js', import.meta.url).href
const directory = () => join(scratch(), 'state')

async function writes(service: Talk): Promise<void> {
  const world = await service.control('world')
  await service.post('/channel/create', {
    team_id: world.teams[0],
    channel_name: 'Kept',
    group: { big: 2n ** 60n },
  })
  await service.post('/channel/enable', { channel_id: world.disabled_channels[0] })
  await service.advance(3_600)
  await service.post('/template/delete', { template_id: world.free_templates[0] })
  await service.post('/calendar/create', { cal_name: 'Kept' })
  await service.post('/role/disable', { role_id: 2 })
  await service.post('/role/member/revoke', { member_ids: world.members, role_id: 6 })
  await service.post('/monit/rule/update/fields', {
    ids: world.rules.slice(0, 3),
    fields: ['enabled'],
    enabled: false,
  })
  await service.post('/monit/rule/delete', { id: world.rules[4] })
}

describe('the journal of the sandbox', () => {
  test('restores state, audit log, clock, ids and incidents after a restart', async () => {
    const stateDir = directory()
    const first = await open({ stateDir })
    await writes(first)
    // A copy of the directory of a running service equals the state after a crash at this moment.
    const copy = directory()
    cpSync(stateDir, copy, { recursive: true })
    const second = await open({ stateDir: copy })
    expect(second.now()).toBe(NOW + 3_600)
    expect((await second.control('audit')).length).toBe(7)
    for (const name of ['state', 'audit'])
      expect(await second.control(name)).toEqual(await first.control(name))
    expect(await second.truth()).toEqual(await first.truth())
    // The ids and the clock continue where they stopped.
    const { teams } = await second.control('world')
    const answer = await second.post('/channel/create', { team_id: teams[0], channel_name: 'Later' })
    const channels: Json[] = (await second.control('state')).channels
    const added = channels.filter((one) => one.channel_id === answer.body.data.channel_id)
    expect(added).toMatchObject([{ channel_name: 'Later', created_at: NOW + 3_600 }])
  })

  test('discards a truncated last line with a warning, and keeps all other lines', async () => {
    const stateDir = directory()
    const first = await open({ stateDir })
    await writes(first)
    const bytes = readFileSync(join(stateDir, 'journal.ndjson'))
    const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1
    const audit = await first.control('audit')
    for (const cut of [lastLine + 1, lastLine + 40, bytes.length - 1]) {
      const torn = directory()
      mkdirSync(torn)
      writeFileSync(join(torn, 'journal.ndjson'), bytes.subarray(0, cut))
      const warnings: string[] = []
      const second = await open({ stateDir: torn, warn: (message) => warnings.push(message) })
      expect(warnings.length).toBe(1)
      expect(await second.control('audit')).toEqual(audit.slice(0, -1))
      // The next write begins on its own line.
      await second.post('/calendar/create', { cal_name: 'Next' })
      await second.close()
      const third = await open({ stateDir: torn, warn: (message) => warnings.push(message) })
      expect((await third.control('audit')).length).toBe(audit.length)
      expect(warnings.length).toBe(1)
    }
  })

  test('is rejected if a middle line is unreadable or the seed differs', async () => {
    const stateDir = directory()
    const first = await open({ stateDir })
    await writes(first)
    await first.close()
    await expect(open({ stateDir, seed: 2 })).rejects.toThrow(ConfigError)
    await expect(open({ stateDir, now: NOW + 1 })).rejects.toThrow(/another world/)
    const path = join(stateDir, 'journal.ndjson')
    const lines = readFileSync(path, 'utf8').split('\n')
    lines[2] = lines[2]!.slice(0, 20)
    writeFileSync(path, lines.join('\n'))
    await expect(open({ stateDir })).rejects.toThrow(/journal\.ndjson:3/)
  })

  test('blocks every change to the data if the disk is full', () => {
    const clock = sandboxClock(NOW)
    const world = buildWorld({ seed: 1, incidents: 100, anchor: NOW }, clock)
    const full = {
      ...memoryJournal(),
      append() {
        throw new Error('no space left on device')
      },
    }
    const service = createService(world, clock, 1, full)
    const caller = [...world.account.callers.values()][0]!
    const by = { caller, keyName: 'all', requestId: 'x' } as const
    expect(() => service.perform(operations['role/disable'], { role_id: 900 }, by)).toThrow(/no space/)
    expect(world.account.roles.get(900)?.status).toBe('enabled')
  })
})

describe('a sandbox killed with SIGKILL', () => {
  test('loses no write that was acknowledged', async () => {
    const stateDir = directory()
    const answered: string[] = []
    for (let round = 0; round < 3; round++) {
      const { child, baseUrl, appKey } = await serve(stateDir)
      const audit = (await (await sideDoor(baseUrl, 'audit')).json()) as { request_id: string }[]
      expectKept(audit, answered)
      const { incidents } = (await (await sideDoor(baseUrl, 'world')).json()) as {
        incidents: string[]
      }
      const gone = new Promise((resolve) => child.once('exit', resolve))
      const until = answered.length + 20 + round * 13
      const writer = async () => {
        for (;;) {
          const response = await fetch(`${baseUrl}/incident/comment?app_key=${appKey}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              incident_ids: incidents.slice(0, 1),
              comment: `number ${answered.length}`,
            }),
          })
          const { request_id } = (await response.json()) as { request_id: string }
          expect(response.status).toBe(200)
          answered.push(request_id)
          if (answered.length >= until) child.kill('SIGKILL')
        }
      }
      // The writers fail when the killed sandbox closes their connections.
      await Promise.allSettled([writer(), writer(), writer()])
      await gone
      expect(answered.length).toBeGreaterThanOrEqual(until)
    }
    const { child, baseUrl } = await serve(stateDir)
    expectKept((await (await sideDoor(baseUrl, 'audit')).json()) as { request_id: string }[], answered)
    child.kill('SIGKILL')
  })
})

function expectKept(audit: { request_id: string }[], answered: string[]): void {
  const kept = new Set(audit.map((one) => one.request_id))
  expect(answered.filter((id) => !kept.has(id))).toEqual([])
}

async function serve(stateDir: string): Promise<{ child: ChildProcess; baseUrl: string; appKey: string }> {
  const program = `
    import { startSandbox } from ${JSON.stringify(STARTING)}
    const { baseUrl, appKey } = await startSandbox({ incidents: 200, now: ${NOW}, limits: false, stateDir: ${JSON.stringify(stateDir)} })
    console.log(JSON.stringify({ baseUrl, appKey }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (data) => resolve(String(data)))
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)))
  })
  return { child, ...(JSON.parse(line) as { baseUrl: string; appKey: string }) }
}
