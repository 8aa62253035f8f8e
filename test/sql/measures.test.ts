import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { unreadMoments } from '../../src/definitions/custom-definitions-sql.ts'
import { happening, start } from './small-company.ts'

const { configured, connection, happen, rows } = happening()

const given = settingsOf(
  readConfig(
    JSON.stringify({
      reporting: {
        workingHours: { office: { from: 9, to: 17 } },
        measures: {
          mitigate: { from: 'start_time', to: 'fields.mitigated_at', title: 'Time to mitigate' },
          react: { from: 'fields.detected_at', to: 'first_answer', title: 'Reaction' },
          fix: { from: 'ack_time', to: 'close_time', title: 'Fix', workingHours: 'office' },
          learn: { from: 'close_time', to: 'first_post_mortem', title: 'Learn' },
        },
      },
    }),
    'c.json',
  ).data.reporting,
)

describe('a custom field used as a time', () => {
  test('is ignored with a warning if it is invalid', async () => {
    await configured(given)
    await happen([{ close_time: start + 1, fields: { mitigated_at: 'yesterday' } }])
    expect(await rows("from incident_measures where measure = 'mitigate'")).toEqual([])
    expect(await unreadMoments(connection(), given)).toEqual([
      expect.stringMatching(
        /mitigate: fields\.mitigated_at is not a valid time in some incidents \(1\), such as "yesterday"/,
      ),
    ])
  })

  test.each([
    ['1970-01-02T00:10Z', 87_000],
    ['1970-01-02 01:10+01:00', 87_000],
    ['1970-01-02T01:10+01', 87_000],
    ['1970-01-02T00:10', 87_000],
    ['1970-01-02T00:10:05Z', 87_005],
  ])('is read if it has the format %s', async (mitigated_at, at) => {
    await configured(given)
    await happen([{ start_time: 86_400, close_time: 90_000, fields: { mitigated_at } }])
    expect(await rows("select seconds from incident_measures where measure = 'mitigate'")).toEqual([
      { seconds: at - 86_400 },
    ])
    expect(await unreadMoments(connection(), given)).toEqual([])
  })
})
