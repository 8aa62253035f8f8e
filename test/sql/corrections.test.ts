import { expect, test } from 'vitest'
import { unknownCorrections } from '../../src/definitions/custom-definitions-sql.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { HOUR, happening, start } from './small-company.ts'

const { configured, connection, happen, one, rows } = happening()

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

test('corrected values replace read values in incident_times, without changing the stored records', async () => {
  await configured(given)
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
  expect(await unknownCorrections(connection(), given)).toEqual(['fixes.csv:gone: unknown incident gone'])
})
