import { expect, test } from 'vitest'
import { atOnce, standingTime } from '../support/clock.ts'
import { DAY, epoch, fakeService, incident } from '../support/service.ts'
import { rowsOf } from '../support/warehouse.ts'
import { running } from './running.ts'

const { warehouse, run } = running()
const effects = standingTime(5_000, atOnce)

test('an id with an invalid response is requested again in the next run, not a week later', async () => {
  const service = fakeService()
  service.incidents = [incident(1, { channel_id: 7 })]
  service.channels.set('7', { channel_id: 7, channel_name: 'seven', status: 'enabled', team_id: 70 })
  service.teams = [{ team_id: 70, team_name: 'seventy', person_ids: [1] }]
  const sync = () => run(service, epoch + 2 * DAY, { effects })
  service.before = (name) => (name === 'channel/info' ? 'not what was promised' : undefined)
  expect((await sync()).status).toBe('partial')
  expect(await rowsOf(warehouse(), 'select id from sync_checks')).toEqual([])
  service.before = () => undefined
  expect((await sync()).status).toBe('ok')
  expect(await rowsOf(warehouse(), 'select channel_name from channels')).toEqual([{ channel_name: 'seven' }])
  expect(await rowsOf(warehouse(), 'select resource, is_missing from sync_checks order by 1')).toEqual([
    { resource: 'channels', is_missing: false },
    { resource: 'teams', is_missing: false },
  ])
})
