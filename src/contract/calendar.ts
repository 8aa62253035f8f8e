import { z } from 'zod'
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
      cal_name: text(1, 39),
      description: optional(text(0, 499)),
      timezone: optional(zone),
      team_id: optional(int64),
      workdays: optional(z.array(int64In(0, 6))),
      extra_cal_ids: optional(z.array(z.string())),
    }),
    response: z.looseObject({ cal_id: z.string(), cal_name: z.string() }),
  }),
] as const
