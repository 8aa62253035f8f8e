import { z } from 'zod'
import { MEMBER_LIMIT_DEFAULT } from './assumptions.ts'
import { optional } from './fields.ts'
import { int64, int64In, uint64 } from './int64.ts'
import { MEMBER_LIMIT_MAX } from './limits.ts'
import { operation } from './operation.ts'
import { unixSeconds } from './time.ts'
import { needed } from './tolerant.ts'

/** A member of the account. The phone number comes masked. */
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

/** Operations under /member. */
export const memberOperations = [
  operation('member/list', {
    summary: 'List members, paginated.',
    request: z.object({
      role_id: optional(uint64).describe('Only members with this role.'),
      p: optional(int64In(1)).describe('Page number.'),
      limit: optional(int64In(1, MEMBER_LIMIT_MAX)).meta({
        description: 'Page size.',
        default: MEMBER_LIMIT_DEFAULT,
      }),
      orderby: optional(z.enum(['created_at', 'updated_at'])).describe('What they are ordered by.'),
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
] as const
