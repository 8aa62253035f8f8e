import { z } from 'zod'
import { refuse } from '../settings/config-fields.ts'
import type { WorkingHours, WorkingZone } from '../settings/settings.ts'
import { zone } from '../settings/zone.ts'
import { parseWeekdays, splitAtMidnight } from './hours.ts'

const DAY = 1440

function minutesOf(time: number | string): number | null {
  if (typeof time === 'number') return time * 60
  const [, hours, minutes] = /^(\d{1,2}):([0-5]\d)$/.exec(time.trim()) ?? []
  const all = hours === undefined ? Number.NaN : Number(hours) * 60 + Number(minutes)
  return all <= DAY ? all : null
}

const time = z
  .union([z.int().min(0).max(24), z.string()], 'expected a time of day, such as 9 or 08:30')
  .transform((written, context): number => {
    return minutesOf(written) ?? refuse(context, 'expected a time of day, such as 9 or 08:30')
  })

const oneCalendar = z
  .strictObject({
    days: z
      .string()
      .default('Mon-Fri')
      .describe('Days on which these hours begin: `Mon-Fri`, `Sat,Sun` or `daily`.'),
    from: time.describe('Start in local time: 9, or 08:30.'),
    to: time.describe('End in local time. If it is not after `from`, it is on the next day.'),
    timezone: zone
      .optional()
      .describe('Time zone. Default: that of the team (`teamZones`), otherwise `timezone`.'),
  })
  .superRefine(({ days, from, to }, context) => {
    if (!parseWeekdays(days)) refuse(context, 'expected days such as Mon-Fri, Sat,Sun or daily', ['days'])
    if (from === to) refuse(context, 'expected a time other than `from`', ['to'])
  })

/** Schema of a name in `reporting.workingHours`. Measures and targets refer to such names. */
export const hoursName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,30}$/, 'expected a name of lower-case letters, digits and _, such as office')

export const workingHoursSchema = z
  .record(hoursName, oneCalendar)
  .default({})
  .describe(
    'Working hours by name, for measures and targets: `{"office": {"days": "Mon-Fri", "from": 9, "to": 17}}`. Excludes `holidays`.',
  )

export const teamZonesSchema = z
  .record(z.string().min(1), zone)
  .default({})
  .describe('Time zone by team name, for working hours: `{"Payments": "America/New_York"}`.')

/** @param timezone applies if neither the working hours nor the team has a time zone */
export function workingHoursOf(
  calendars: z.output<typeof workingHoursSchema>,
  teamZones: Readonly<Record<string, string>>,
  timezone: string,
): { workingHours: WorkingHours[]; workingZones: WorkingZone[] } {
  const all = Object.entries(calendars)
  return {
    workingHours: all.flatMap(([name, { days, from, to }]) => {
      const parts = splitAtMidnight(parseWeekdays(days)!, from, to, DAY)
      return parts.map(([weekdays, opens_minute, closes_minute]) => ({
        name,
        weekdays,
        opens_minute,
        closes_minute,
      }))
    }),
    workingZones: all.flatMap(([name, own]) => [
      { name, team_name: null, timezone: own.timezone ?? timezone },
      ...(own.timezone ? [] : Object.entries(teamZones)).map(([team_name, zone]) => ({
        name,
        team_name,
        timezone: zone,
      })),
    ]),
  }
}
