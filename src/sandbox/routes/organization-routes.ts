import { MEMBER_LIMIT_DEFAULT } from '../../contract/assumptions.ts'
import { PERMISSIONS } from '../../contract/operation.ts'
import type { Member } from '../../contract/organization.ts'
import { permissionsOf } from '../keys.ts'
import { notFound, Refusal } from '../responses.ts'
import type { Handlers } from './handler.ts'

export const organizationHandlers: Handlers<'member' | 'team' | 'role'> = {
  'member/list'(request, { world }) {
    const page = Number(request.p ?? 1)
    const limit = Number(request.limit ?? MEMBER_LIMIT_DEFAULT)
    const roleId = request.role_id ?? 0
    const keyword = request.query?.trim().toLowerCase() ?? ''
    const order = request.orderby ?? 'updated_at'
    const isWanted = (member: Member) =>
      (roleId === 0 || (member.account_role_ids ?? []).includes(roleId)) &&
      (keyword === '' || `${member.member_name}\n${member.email ?? ''}`.toLowerCase().includes(keyword))
    const found = [...world.account.members.values()]
      .filter(isWanted)
      .sort((a, b) => compare(a[order], b[order]) || compare(a.member_id, b.member_id))
    const [from, to] = [(page - 1) * limit, page * limit]
    const fromEnd = (place: number) => Math.max(0, found.length - place)
    const items =
      request.asc === true ? found.slice(from, to) : found.slice(fromEnd(to), fromEnd(from)).reverse()
    // The page number is returned as sent, even beyond 2^53.
    return { p: request.p ?? 1, limit, total: found.length, items }
  },

  'team/infos'({ team_ids }, { world }) {
    // Unknown ids are omitted, and a repeated id is returned once.
    const items = [...new Set(team_ids)].flatMap((id) => world.account.teams.get(id) ?? [])
    return { items }
  },

  // Without `role_ids` and `with_all`, the list is empty, because no permission is granted.
  'role/permission/list'({ role_ids, with_all }, { world: { account } }) {
    const granted: ReadonlySet<string> = permissionsOf(account, role_ids ?? [])
    const items = PERMISSION_RECORDS.map((record) => ({
      ...record,
      is_granted: granted.has(`${record.permission_name} (${record.scope})`),
    }))
    return { items: with_all === true ? items : items.filter((item) => item.is_granted) }
  },

  'role/member/revoke'({ member_ids, role_id }, { world: { account }, clock }) {
    if (!account.roles.has(role_id)) throw notFound(`role ${role_id}`)
    return () => {
      for (const id of member_ids) {
        const member = account.members.get(id) ?? account.callers.get(id)
        if (!member?.account_role_ids?.includes(role_id)) continue
        member.account_role_ids = member.account_role_ids.filter((one) => one !== role_id)
        member.updated_at = clock.now()
      }
      return {}
    }
  },

  // Disabling a disabled role succeeds without a change.
  'role/disable'({ role_id }, { world: { account } }) {
    const role = account.roles.get(role_id)
    if (role === undefined) throw notFound(`role ${role_id}`)
    if (role.built_in) throw new Refusal('AccessDenied', 'Access Denied. Only custom roles can be disabled.')
    return () => {
      role.status = 'disabled'
      return {}
    }
  },
}

function compare(a: Member['member_id'], b: Member['member_id']): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Permissions as role/permission/list returns them, without `is_granted`. */
const PERMISSION_RECORDS = PERMISSIONS.map((full, k) => {
  const [, permission_name, scope] = /^(.*) \((.*)\)$/.exec(full)!
  return {
    id: 1_001 + k,
    permission_name: permission_name!,
    permission_type: permission_name!.endsWith('view') ? 'read' : 'manage',
    description: `Allows ${permission_name}.`,
    class: permission_name!.replace(/ (view|management)$/, ''),
    scope: scope!,
    status: 'enabled',
  }
})
