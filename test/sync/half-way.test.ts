import { expect, test } from 'vitest'
import { readWatermark } from '../../src/sync/ledger.ts'
import { atOnce, standingTime } from '../support/clock.ts'
import { DAY, epoch, type FakeService, fakeService, incident } from '../support/service.ts'
import { running } from './running.ts'

const { warehouse, run: runOf } = running()
const effects = standingTime(5_000, atOnce)
const now = epoch + 10 * DAY

const run = (service: FakeService, signal: AbortSignal) => runOf(service, now, { effects, signal })

test('a run that continues a stopped run is complete if the stopped run had read all windows', async () => {
  const service = fakeService()
  service.incidents = [incident(1, { channel_id: 7 })]
  service.channels.set('7', { channel_id: 7, channel_name: 'seven', status: 'enabled', team_id: 70 })
  const stopping = new AbortController()
  service.before = (name) => (name === 'channel/info' ? stopping.abort(new Error('stopped')) : undefined)
  await expect(run(service, stopping.signal)).rejects.toThrow('stopped')
  expect(await readWatermark(warehouse().db, 1n)).toMatchObject({ isComplete: false })

  service.before = () => undefined
  const asked = service.calls.length
  expect(await run(service, new AbortController().signal)).toMatchObject({ complete: true, asOf: now })
  expect(service.calls.slice(asked).filter(({ name }) => name === 'incident/list')).toEqual([])
  expect(await readWatermark(warehouse().db, 1n)).toEqual({ asOf: now, isComplete: true })
})
