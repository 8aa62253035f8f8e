import { z } from 'zod'
import { MEMBER_LIMIT_DEFAULT, REVOKE_MEMBERS_MAX } from './assumptions.ts'
import { emptyPayload } from './envelope.ts'
import { optional } from './fields.ts'
import { int64, int64In, uint64, unixSeconds } from './int64.ts'
import { MEMBER_LIMIT_MAX, TEAM_IDS_MAX } from './limits.ts'
import { operation } from './operation.ts'
import { needed } from './tolerant.ts'

/** A member of the account. The service masks the phone number. */
export const member = z.looseObject({
  account_id: needed(int64),
  member_id: needed(int64),
  member_name: needed(z.string()),
  country_code: z.string(),
  phone: z.string(),
  email: z.string(),
  avatar: z.string(),
  ref_id: z.string(),
  phone_verified: z.boolean(),
  email_verified: z.boolean(),
  is_external: z.boolean(),
  status: needed(z.string()),
  account_role_ids: z.array(int64),
  created_at: needed(unixSeconds),
  updated_at: needed(unixSeconds),
})
export type Member = z.infer<typeof member>

export const team = z.looseObject({
  team_id: needed(int64),
  team_name: needed(z.string()),
  person_ids: z.array(int64),
})
export type Team = z.infer<typeof team>

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

export const organizationOperations = [
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
    response: emptyPayload,
  }),
  operation('role/disable', {
    summary: 'Disable a custom role.',
    permissions: manage,
    audited: true,
    writes: true,
    request: z.object({ role_id: uint64.describe('The role; only custom roles can be disabled.') }),
    response: emptyPayload,
  }),
  operation('member/list', {
    summary: 'List members, paginated.',
    request: z.object({
      role_id: optional(uint64).describe('Only members with this role.'),
      p: optional(int64In(1)).describe('Page number.'),
      limit: optional(int64In(1, MEMBER_LIMIT_MAX)).meta({
        description: 'Page size.',
        default: MEMBER_LIMIT_DEFAULT,
      }),
      orderby: optional(z.enum(['created_at', 'updated_at'])).describe('Order of the members.'),
      asc: optional(z.boolean()).describe('true = ascending order.'),
      query: optional(z.string()).describe('Keyword.'),
    }),
    response: z.looseObject({
      p: int64,
      limit: int64,
      total: needed(int64),
      items: needed(z.array(member)),
    }),
  }),
  operation('team/infos', {
    summary: 'Read many teams by id.',
    request: z.object({ team_ids: z.array(uint64).max(TEAM_IDS_MAX).describe('The teams.') }),
    response: z.looseObject({ items: needed(z.array(team)) }),
  }),
] as const
