import { z } from 'zod'
import { CALENDAR_ZONE_DEFAULT } from './assumptions.ts'
import { optional, text, zone } from './fields.ts'
import { int64, int64In } from './int64.ts'
import { operation } from './operation.ts'

/** Operations under /calendar. */
export const calendarOperations = [
  operation('calendar/create', {
    summary: 'Create a service calendar.',
    permissions: ['service calendar management (on-call)'],
    writes: true,
    request: z.object({
      cal_name: text(1, 39).describe('Name of the calendar.'),
      description: optional(text(0, 499)).describe('Description.'),
      timezone: optional(zone).meta({
        description: `IANA zone; empty takes the default too.`,
        default: CALENDAR_ZONE_DEFAULT,
      }),
      team_id: optional(int64).describe('Team it belongs to; 0 = no team.'),
      workdays: optional(z.array(int64In(0, 6))).describe('Working days; 0 = Sunday, 6 = Saturday.'),
      extra_cal_ids: optional(z.array(z.string())).describe(
        'Public holiday calendars whose events are inherited.',
      ),
    }),
    response: z.looseObject({ cal_id: z.string(), cal_name: z.string() }),
  }),
] as const
