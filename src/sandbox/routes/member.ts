import { MEMBER_LIMIT_DEFAULT } from '../../contract/assumptions.ts'
import type { Member } from '../../contract/member.ts'
import type { Handlers } from './handler.ts'

/** Handlers of the operations under /member. */
export const memberHandlers: Handlers<'member'> = {
  'member/list'(request, { world }) {
    const page = Number(request.p ?? 1)
    const limit = Number(request.limit ?? MEMBER_LIMIT_DEFAULT)
    const roleId = request.role_id ?? 0
    const keyword = request.query?.trim().toLowerCase() ?? ''
    const orderby = request.orderby ?? 'updated_at'
    const found = [...world.account.members.values()].filter(
      (member) =>
        (roleId === 0 || (member.account_role_ids ?? []).includes(roleId)) &&
        (keyword === '' || `${member.member_name}\n${member.email ?? ''}`.toLowerCase().includes(keyword)),
    )
    const sign = request.asc === true ? 1 : -1
    found.sort((a, b) => sign * (compare(a[orderby], b[orderby]) || compare(a.member_id, b.member_id)))
    const items = found.slice((page - 1) * limit, page * limit)
    // The page number goes back as it came, also one beyond 2^53.
    return { p: request.p ?? 1, limit, total: found.length, items }
  },
}

function compare(a: Member['member_id'], b: Member['member_id']): number {
  return a < b ? -1 : a > b ? 1 : 0
}
