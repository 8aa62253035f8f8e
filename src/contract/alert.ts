import { z } from 'zod'
import { hexId } from './fields.ts'
import { int64, unixSeconds } from './int64.ts'
import { operation } from './operation.ts'

/** One alert, with the incident into which it was merged. The API document defines only the first six fields. */
export const alert = z.looseObject({
  alert_id: hexId,
  title: z.string(),
  alert_severity: z.string(),
  alert_status: z.string(),
  start_time: unixSeconds,
  event_cnt: int64,
  integration_id: int64.optional(),
  channel_id: int64.optional(),
  account_id: int64.optional(),
  description: z.string().optional(),
  alert_key: z.string().optional(),
  last_time: unixSeconds.optional(),
  end_time: unixSeconds.optional(),
  labels: z.record(z.string(), z.string()).optional(),
  ever_muted: z.boolean().optional(),
  created_at: unixSeconds.optional(),
  updated_at: unixSeconds.optional(),
  integration_name: z.string().optional(),
  integration_type: z.string().optional(),
  channel_name: z.string().optional(),
  incident: z.looseObject({ incident_id: hexId, title: z.string(), progress: z.string() }).optional(),
})
export type Alert = z.infer<typeof alert>

export const alertOperations = [
  operation('alert/info', {
    summary: 'Read one alert.',
    permissions: ['channel view (on-call)'],
    request: z.object({
      alert_id: hexId.describe('From the alert list or the alert-event list. 24 hexadecimal characters.'),
    }),
    response: alert,
  }),
] as const
