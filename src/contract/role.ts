import { z } from 'zod'
import { REVOKE_MEMBERS_MAX } from './assumptions.ts'
import { nothing } from './envelope.ts'
import { optional } from './fields.ts'
import { int64, uint64 } from './int64.ts'
import { operation } from './operation.ts'
import { needed } from './tolerant.ts'

/** One permission, and whether it is granted. */
export const permission = z.looseObject({
  id: int64,
  permission_name: z.string(),
  permission_type: z.string(),
  description: z.string(),
  class: z.string(),
  scope: z.string(),
  status: z.string(),
  is_granted: z.boolean(),
})

const manage = ['role management (organization)'] as const

/** Operations under /role. */
export const roleOperations = [
  operation('role/permission/list', {
    summary: 'List permissions, all of them or those of some roles.',
    request: z.object({
      role_ids: optional(z.array(uint64)).describe('Only permissions granted to these roles.'),
      with_all: optional(z.boolean()).describe('true = all permissions; is_granted says which are granted.'),
    }),
    response: z.looseObject({ items: needed(z.array(permission)) }),
  }),
  operation('role/member/revoke', {
    summary: 'Revoke a role from members.',
    permissions: manage,
    audited: true,
    writes: true,
    request: z.object({
      member_ids: z
        .array(int64)
        .min(1)
        .max(REVOKE_MEMBERS_MAX)
        .describe('Members; those without the role are skipped silently.'),
      role_id: int64.describe('The role.'),
    }),
    response: nothing,
  }),
  operation('role/disable', {
    summary: 'Disable a custom role.',
    permissions: manage,
    audited: true,
    writes: true,
    request: z.object({ role_id: uint64.describe('The role; only custom roles can be disabled.') }),
    response: nothing,
  }),
] as const
