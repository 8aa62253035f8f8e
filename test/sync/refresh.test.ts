import { expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { atOnce, standingTime } from '../support/clock.ts'
import { DAY, epoch, fakeService, incident } from '../support/service.ts'
import { rowsOf } from '../support/warehouse.ts'
import { running } from './running.ts'

const { run, warehouse } = running()
const CHANNELS = 70

test('renamed channels and teams are updated within seven nights, and no night requests all of them', async () => {
  const service = fakeService()
  const ids = Array.from({ length: CHANNELS }, (_, index) => index + 1)
  service.incidents = ids.map((id) => incident(id, { channel_id: id }))
  const rename = (name: string) => {
    for (const id of ids) {
      const channel = { channel_id: id, channel_name: `${name} ${id}`, status: 'enabled', team_id: 70 + id }
      service.channels.set(String(id), channel)
    }
    service.teams = ids.map((id) => ({ team_id: 70 + id, team_name: `${name} ${id}`, person_ids: [] }))
  }
  const night = async (days: number) => {
    service.calls.length = 0
    const now = epoch + (10 + days) * DAY
    const { status } = await run(service, now, {
      resources: resources.filter(({ table }) => ['incidents', 'channels', 'teams'].includes(table)),
      effects: standingTime(now * 1_000, atOnce),
    })
    expect(status).toBe('ok')
    return service.calls.filter(({ name }) => name === 'channel/info').length
  }
  rename('old')
  expect(await night(0)).toBe(CHANNELS)
  rename('new')
  const asked: number[] = []
  for (let days = 1; days <= 7; days++) asked.push(await night(days))
  expect(asked.reduce((sum, some) => sum + some, 0)).toBe(CHANNELS)
  expect(Math.max(...asked)).toBeLessThan(CHANNELS / 3)
  for (const table of ['channels', 'teams']) {
    const name = `${table.slice(0, -1)}_name`
    expect(
      await rowsOf(warehouse(), `select count(*)::int as n from ${table} where ${name} like 'new %'`),
    ).toEqual([{ n: CHANNELS }])
  }
})
