import { z } from 'zod'
import { optional } from './fields.ts'
import { int64, int64In, uint64 } from './int64.ts'
import { MEMBER_LIMIT_MAX } from './limits.ts'
import { operation } from './operation.ts'
import { unixSeconds } from './time.ts'

/** A member of the account. The phone number comes masked. */
export const member = z.looseObject({
  account_id: int64,
  member_id: int64,
  member_name: z.string(),
  country_code: optional(z.string()),
  phone: optional(z.string()),
  email: optional(z.string()),
  avatar: optional(z.string()),
  ref_id: optional(z.string()),
  phone_verified: optional(z.boolean()),
  email_verified: optional(z.boolean()),
  is_external: optional(z.boolean()),
  status: z.string(),
  account_role_ids: optional(z.array(int64)),
  created_at: unixSeconds,
  updated_at: unixSeconds,
})
export type Member = z.infer<typeof member>

/** Operations under /member. */
export const memberOperations = [
  operation('member/list', {
    summary: 'List members, paginated.',
    request: z.object({
      role_id: optional(uint64),
      p: optional(int64In(1)),
      limit: optional(int64In(1, MEMBER_LIMIT_MAX)),
      orderby: optional(z.enum(['created_at', 'updated_at'])),
      asc: optional(z.boolean()),
      query: optional(z.string()),
    }),
    response: z.looseObject({ p: int64, limit: int64, total: int64, items: z.array(member) }),
  }),
] as const
