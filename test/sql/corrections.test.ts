import { expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { filesFor, unknownCorrections } from '../../src/warehouse/schema/own-incidents.ts'
import { HOUR, happening, start } from './happening.ts'

const { connection, happen, one, rows, settings } = happening()

const fix = (incident_id: string, field: string, value: string) => ({
  ...{ incident_id, field, value, who: 'Ann', why: 'a robot was wrong', at: `fixes.csv:${incident_id}` },
})
const given = {
  ...defaultSettings,
  corrections: [
    fix('i0', 'ack_time', new Date((start + 600) * 1000).toISOString()),
    fix('i0', 'incident_severity', 'Info'),
    fix('i1', 'ack_time', ''),
    fix('gone', 'end_time', ''),
  ],
}

test('what was corrected is counted so, marked, and nowhere in what was read', async () => {
  await settings(given)
  const own = (await filesFor(connection(), given)).find(({ name }) => name === 'own_incidents')!
  await connection().run(`create or replace view own_incidents as ${own.body}`)
  const read = { ack_time: start + 5, close_time: start + HOUR }
  await happen([read, read, read])
  expect(
    await rows(
      'select incident_id, incident_severity, time_to_ack_s, time_to_close_s, corrected from incident_times order by all',
    ),
  ).toEqual([
    {
      ...{ incident_id: 'i0', incident_severity: 'Info', time_to_ack_s: 600, time_to_close_s: HOUR },
      corrected: ['ack_time', 'incident_severity'],
    },
    {
      ...{ incident_id: 'i1', incident_severity: 'Critical', time_to_ack_s: null, time_to_close_s: HOUR },
      corrected: ['ack_time'],
    },
    {
      ...{ incident_id: 'i2', incident_severity: 'Critical', time_to_ack_s: 5, time_to_close_s: HOUR },
      corrected: null,
    },
  ])
  expect(await one("select affected, total from data_quality where check_name = 'corrected'")).toEqual({
    affected: 2,
    total: 3,
  })
  expect(await rows('select distinct ack_time, incident_severity from incidents')).toEqual([
    { ack_time: start + 5, incident_severity: 'Critical' },
  ])
  expect(await unknownCorrections(connection(), given)).toEqual(['fixes.csv:gone: there is no incident gone'])
})
