import { z } from 'zod'
import { hexId, optional } from './fields.ts'
import { int64 } from './int64.ts'
import { operation } from './operation.ts'
import { unixSeconds } from './time.ts'

/** One alert, with the incident it was merged into. */
export const alert = z.looseObject({
  alert_id: hexId,
  title: z.string(),
  alert_severity: z.string(),
  alert_status: z.string(),
  start_time: unixSeconds,
  event_cnt: int64,
  integration_id: optional(int64),
  channel_id: optional(int64),
  account_id: optional(int64),
  description: optional(z.string()),
  alert_key: optional(z.string()),
  last_time: optional(unixSeconds),
  end_time: optional(unixSeconds),
  labels: optional(z.record(z.string(), z.unknown())),
  ever_muted: optional(z.boolean()),
  created_at: optional(unixSeconds),
  updated_at: optional(unixSeconds),
  integration_name: optional(z.string()),
  integration_type: optional(z.string()),
  channel_name: optional(z.string()),
  incident: optional(z.looseObject({ incident_id: hexId, title: z.string(), progress: z.string() })),
})
export type Alert = z.infer<typeof alert>

/** Operations under /alert. */
export const alertOperations = [
  operation('alert/info', {
    summary: 'Read one alert.',
    permissions: ['channel view (on-call)'],
    request: z.object({ alert_id: hexId }),
    response: alert,
  }),
] as const
