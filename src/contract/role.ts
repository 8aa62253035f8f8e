import { z } from 'zod'
import { REVOKE_MEMBERS_MAX } from './assumptions.ts'
import { nothing } from './envelope.ts'
import { optional } from './fields.ts'
import { int64, uint64 } from './int64.ts'
import { operation } from './operation.ts'

/** One permission, and whether it is granted. */
export const permission = z.looseObject({
  id: int64,
  permission_name: z.string(),
  permission_type: z.string(),
  description: optional(z.string()),
  class: optional(z.string()),
  scope: z.string(),
  status: z.string(),
  is_granted: z.boolean(),
})

const manage = ['role management (organization)'] as const

/** Operations under /role. */
export const roleOperations = [
  operation('role/permission/list', {
    summary: 'List permissions, all of them or those of some roles.',
    request: z.object({ role_ids: optional(z.array(uint64)), with_all: optional(z.boolean()) }),
    response: z.looseObject({ items: z.array(permission) }),
  }),
  operation('role/member/revoke', {
    summary: 'Revoke a role from members.',
    permissions: manage,
    audited: true,
    writes: true,
    request: z.object({ member_ids: z.array(int64).min(1).max(REVOKE_MEMBERS_MAX), role_id: int64 }),
    response: nothing,
  }),
  operation('role/disable', {
    summary: 'Disable a custom role.',
    permissions: manage,
    audited: true,
    writes: true,
    request: z.object({ role_id: uint64 }),
    response: nothing,
  }),
] as const
