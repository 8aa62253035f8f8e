import { expect, test } from 'vitest'
import { DAY, incident } from '../support/service.ts'
import { filled, running, start } from './running.ts'

const { count, rows, run } = running()

const HEX = 'abcdef0123456789abcdef01'

test('an id in upper case and the id in lower case identify a single record', async () => {
  const service = filled()
  const open = { progress: 'Triggered', close_time: 0, end_time: 0 }
  service.incidents.push(incident(2_000, { ...open, incident_id: HEX.toUpperCase() }))
  await run(service)
  service.incidents[300] = incident(2_000, { ...open, incident_id: HEX, title: 'edited' })
  expect(await run(service, start + DAY)).toMatchObject({ status: 'ok', vanished: 0 })
  service.incidents[300] = incident(2_000, { incident_id: HEX.toUpperCase(), title: 'edited' })
  expect(await run(service, start + 2 * DAY, { scope: { full: true } })).toMatchObject({
    status: 'ok',
    vanished: 0,
  })
  expect(await rows(`select incident_id, progress from incidents where title = 'edited'`)).toEqual([
    { incident_id: HEX, progress: 'Closed' },
  ])
  expect(await count('incidents')).toBe(301)
  expect(await count(`incident_responders where incident_id = '${HEX}'`)).toBe(1)
})

test('a quarantined record is resolved by a valid copy whose id differs only in case', async () => {
  const service = filled()
  service.incidents.push(incident(2_000, { incident_id: HEX.toUpperCase(), title: 7 }))
  expect(await run(service)).toMatchObject({ status: 'partial', quarantined: 1 })
  service.incidents[300] = incident(2_000, { incident_id: HEX })
  expect(await run(service, start + DAY, { scope: { full: true } })).toMatchObject({
    status: 'ok',
    stillWaiting: 0,
  })
})

test('an id with non-hexadecimal characters keeps its case', async () => {
  const service = filled()
  service.incidents[0]!.post_mortem_id = 'PM-Xyz'
  await run(service)
  expect(await count(`incidents where post_mortem_id = 'PM-Xyz'`)).toBe(1)
})
