import { z } from 'zod'
import { CALENDAR_ZONE_DEFAULT } from './assumptions.ts'
import { emptyPayload } from './envelope.ts'
import { optional, zone } from './fields.ts'
import { int64 } from './int64.ts'
import { operation } from './operation.ts'
import { needed } from './tolerant.ts'

export const folderRuleStatus = z.looseObject({
  folder_id: needed(int64),
  folder_name: needed(z.string()),
  rule_total: needed(int64),
  triggered_rule_count: int64.optional().describe('Missing if the calculation was skipped.'),
})
export type FolderRuleStatus = z.infer<typeof folderRuleStatus>

const manage = ['alert rule management (monit)'] as const

export const monitOperations = [
  operation('monit/rule/update/fields', {
    summary: 'Update selected fields of many monitoring rules.',
    permissions: manage,
    audited: true,
    writes: true,
    // Undocumented fields of a rule are accepted too. Only the fields that `fields` names are applied.
    request: z
      .looseObject({
        ids: z.array(int64).min(1).describe('Rules to update.'),
        fields: z
          .array(z.string())
          .min(1)
          .describe('Names of the fields to apply, e.g. enabled or channel_ids; each must be sent.'),
        enabled: optional(z.boolean()).describe('Whether the rules run.'),
        channel_ids: optional(z.array(int64)).describe('Channels that their alerts go to.'),
        timezone: optional(zone).meta({
          description: 'Time zone of the rules; empty means the default.',
          default: CALENDAR_ZONE_DEFAULT,
        }),
      })
      .meta({ examples: [{ ids: [1], fields: ['enabled'], enabled: true }] }),
    response: z.array(z.looseObject({ name: z.string(), message: z.string() })),
  }),
  operation('monit/rule/delete', {
    summary: 'Delete one monitoring rule.',
    permissions: manage,
    audited: true,
    writes: true,
    request: z.object({ id: int64.describe('The rule.') }),
    response: emptyPayload,
  }),
  operation('monit/rule/status', {
    summary: 'Trigger summary per folder; folder 0 means all.',
    permissions: manage,
    request: z.object({ folder_id: optional(int64).describe('The folder; 0 or absent = all folders.') }),
    response: z.array(folderRuleStatus),
  }),
] as const
