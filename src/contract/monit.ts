import { z } from 'zod'
import { nothing } from './envelope.ts'
import { optional, zone } from './fields.ts'
import { int64 } from './int64.ts'
import { operation } from './operation.ts'

/** How many rules of a folder and its descendants there are, and how many are triggered. */
export const folderRuleStatus = z.looseObject({
  folder_id: int64,
  folder_name: z.string(),
  rule_total: int64,
  /** Left out where the folder holds too many rules to be counted. */
  triggered_rule_count: optional(int64),
})
export type FolderRuleStatus = z.infer<typeof folderRuleStatus>

const manage = ['alert rule management (monit)'] as const

/** Operations under /monit. */
export const monitOperations = [
  operation('monit/rule/update/fields', {
    summary: 'Update selected fields of many monitoring rules.',
    permissions: manage,
    audited: true,
    writes: true,
    // Fields of a rule that the document does not name pass through; only those in `fields` are applied.
    request: z
      .looseObject({
        ids: z.array(int64).min(1),
        fields: z
          .array(z.string())
          .min(1)
          .meta({ description: 'Only these are applied; each must be sent.' }),
        enabled: optional(z.boolean()),
        channel_ids: optional(z.array(int64)),
        timezone: optional(zone),
      })
      .meta({ examples: [{ ids: [1], fields: ['enabled'], enabled: true }] }),
    response: z.array(z.looseObject({ name: z.string(), message: z.string() })),
  }),
  operation('monit/rule/delete', {
    summary: 'Delete one monitoring rule.',
    permissions: manage,
    audited: true,
    writes: true,
    request: z.object({ id: int64 }),
    response: nothing,
  }),
  operation('monit/rule/status', {
    summary: 'Trigger summary per folder; folder 0 means all.',
    permissions: manage,
    request: z.object({ folder_id: int64 }),
    response: z.array(folderRuleStatus),
  }),
] as const
