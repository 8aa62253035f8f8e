import { notFound, Refusal } from '../answer.ts'
import { permissionsOf } from '../keys.ts'
import { PERMISSION_RECORDS } from '../store/permissions.ts'
import type { Handlers } from './handler.ts'

/** Handlers of the operations under /role. */
export const roleHandlers: Handlers<'role'> = {
  // Without roles and without `with_all` nothing is granted, so nothing is listed.
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
        // Members without the role, or that do not exist, are skipped silently.
        if (!member?.account_role_ids?.includes(role_id)) continue
        member.account_role_ids = member.account_role_ids.filter((one) => one !== role_id)
        member.updated_at = clock.now()
      }
      return {}
    }
  },

  // Disabling what is disabled changes nothing and succeeds.
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
