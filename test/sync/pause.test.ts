import { expect, test } from 'vitest'
import { incidents } from '../../src/resources/incidents.ts'
import { DAY, epoch, fakeService, incident } from '../support/service.ts'
import { rowsOf } from '../support/warehouse.ts'
import { running } from './running.ts'

const { run, warehouse } = running()

test('after a pause of eight weeks, the last days before it are read again for changes and missing records', async () => {
  const service = fakeService()
  const startOf = (days: number) => ({ num: `${days}`, start_time: epoch + days * DAY })
  service.incidents = [incident(1, startOf(297)), incident(2, startOf(280)), incident(3, startOf(285))]
  const sync = async (days: number) => {
    const { status } = await run(service, epoch + days * DAY, { resources: [incidents] })
    expect(status).toBe('ok')
  }
  await sync(299)
  const third = service.incidents.pop()!
  await sync(300)
  service.incidents.push(third)
  for (const [index, days] of [304, 302].entries())
    Object.assign(service.incidents[index]!, { root_cause: 'late', updated_at: epoch + days * DAY })
  await sync(356)
  expect(
    await rowsOf(warehouse(), 'select num, root_cause, vanished_at from incidents order by incident_id'),
  ).toEqual([
    { num: '297', root_cause: 'late', vanished_at: null },
    { num: '280', root_cause: 'late', vanished_at: null },
    { num: '285', root_cause: null, vanished_at: null },
  ])
})
