import { describe, expect, test } from 'vitest'
import { DAY, HOUR, happening } from './small-company.ts'

const { happen, one, rows } = happening()

describe('local weeks', () => {
  const starts = (date: string) => Date.parse(`${date}T12:00:00Z`) / 1000
  test.each([
    ['Europe/Berlin', '2024-03-27', '2024-03-25', 167],
    ['Europe/Berlin', '2024-10-23', '2024-10-21', 169],
    ['America/New_York', '2024-03-06', '2024-03-04', 167],
    ['America/New_York', '2024-10-30', '2024-10-28', 169],
    ['Asia/Kolkata', '2024-03-27', '2024-03-25', 168],
  ])('in %s place %s in the week from Monday %s, which has %i hours', async (zone, day, monday, hours) => {
    await happen([{ start_time: starts(day) }], starts(day) + 7 * DAY)
    const row = await one(
      `from incident_counts(zone := '${zone}') where incident_severity = '(all)' and incidents = 1`,
    )
    expect(row).toMatchObject({ bucket_start: starts(monday) - 12 * HOUR, hours, is_partial: false })
  })

  test('begin on a Monday at midnight in any zone', async () => {
    await happen([{ start_time: starts('2024-02-29') }], starts('2024-04-30'))
    for (const zone of ['Pacific/Apia', 'Pacific/Marquesas', 'Asia/Kathmandu', 'UTC', 'America/St_Johns']) {
      const wrong = await rows(`from incident_counts(zone := '${zone}') where isodow(bucket_start) <> 1
          or starts_at at time zone '${zone}' <> bucket_start::timestamp`)
      expect(wrong, zone).toEqual([])
    }
  })

  test('in Berlin assign Sunday 23:30 UTC to the next week', async () => {
    await happen([{ start_time: Date.UTC(2024, 5, 2, 23, 30) / 1000 }])
    expect(
      await one(`select weekday, hour from rhythm(zone := 'Europe/Berlin') where incidents = 1`),
    ).toEqual({ weekday: 1, hour: 1 })
    expect(await one(`select weekday, hour from rhythm() where incidents = 1`)).toEqual({
      weekday: 7,
      hour: 23,
    })
  })
})
