import { BUILT_IN_ROLES } from '../../contract/assumptions.ts'
import type { Int64 } from '../../contract/int64.ts'
import { PERMISSIONS } from '../../contract/operation.ts'
import type { Member } from '../../contract/organization.ts'
import { KEY_NAMES } from '../keys.ts'
import type { Role } from '../store/world.ts'

const SINGLE_ROLES_FROM = 1_000

export function buildRoles(): Role[] {
  const views = PERMISSIONS.filter((name) => name.includes(' view '))
  const onCall = PERMISSIONS.filter((name) => name.endsWith('(on-call)'))
  const custom = { status: 'enabled', built_in: false } as const
  const builtIn = { status: 'enabled', built_in: true } as const
  const { Admin, Responder, Viewer } = BUILT_IN_ROLES
  const responding = [...views, 'incident management (on-call)'] as const
  return [
    { ...builtIn, role_id: Admin, role_name: 'Admin', permissions: PERMISSIONS },
    { ...builtIn, role_id: Responder, role_name: 'Responder', permissions: responding },
    { ...builtIn, role_id: Viewer, role_name: 'Viewer', permissions: views },
    { ...custom, role_id: 900, role_name: 'On-call manager', permissions: onCall },
    { ...custom, role_id: 901, role_name: 'Former contractor', status: 'disabled', permissions: views },
    ...PERMISSIONS.map((permission, k) => ({
      ...custom,
      role_id: SINGLE_ROLES_FROM + k,
      role_name: `Only ${permission}`,
      permissions: [permission],
    })),
  ]
}

/** Returns one member per key, in the order of `KEY_NAMES`, with the role that the key needs. */
export function buildCallers(accountId: Int64, firstId: number, createdAt: number): Member[] {
  return KEY_NAMES.map((name, k) => ({
    account_id: accountId,
    member_id: firstId + k,
    member_name: `Key ${name}`,
    country_code: '',
    phone: '',
    email: `key${k}@example.invalid`,
    avatar: '',
    ref_id: '',
    phone_verified: false,
    email_verified: true,
    is_external: false,
    status: 'enabled',
    account_role_ids:
      name === 'all' ? [BUILT_IN_ROLES.Admin] : name === 'none' ? [] : [SINGLE_ROLES_FROM + k - 2],
    created_at: createdAt,
    updated_at: createdAt,
  }))
}
