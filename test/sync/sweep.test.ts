import { expect, test } from 'vitest'
import { incidents } from '../../src/resources/incidents.ts'
import { DAY, epoch, fakeService, incident } from '../support/service.ts'
import { rowsOf } from '../support/warehouse.ts'
import { running } from './running.ts'

const { run, warehouse } = running()

/** The default `since`, which moves with every night. */
const HISTORY_DAYS = 365
/** The number of 30-day months that overlap the part of a year that only the sweep reads. */
const NIGHTS = 13
const AGES = [61, 109, 157, 205, 253, 301]

test('late edits and removals of old closed incidents are found within 13 nights of a sliding year', async () => {
  const service = fakeService()
  const startOf = (age: number) => epoch + (400 - age) * DAY
  service.incidents = [...AGES, 100, 200].map((age) =>
    incident(age, { num: `${age}`, start_time: startOf(age), close_time: startOf(age) + 3_600 }),
  )
  const night = async (days: number) => {
    const now = epoch + days * DAY
    const since = now - HISTORY_DAYS * DAY
    const summary = await run(service, now, { resources: [incidents], scope: { since } })
    expect(summary.status).toBe('ok')
  }
  await night(400)
  service.incidents = service.incidents.filter(({ num }) => num !== '100' && num !== '200')
  for (const one of service.incidents)
    Object.assign(one, { root_cause: 'known since today', updated_at: epoch + 400 * DAY + 60 })
  for (let count = 1; count <= NIGHTS; count++) await night(400 + count)
  const edited = await rowsOf(warehouse(), `select num from incidents where root_cause = 'known since today'`)
  expect(edited.map(({ num }) => Number(num)).sort((a, b) => a - b)).toEqual(AGES)
  const gone = await rowsOf(
    warehouse(),
    'select num from incidents where vanished_at is not null order by num',
  )
  expect(gone).toEqual([{ num: '100' }, { num: '200' }])
})
