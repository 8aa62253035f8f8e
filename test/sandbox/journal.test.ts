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
import { scratch } from '../support/warehouse.ts'

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
