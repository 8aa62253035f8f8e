import { createHash } from 'node:crypto'
import type { Int64 } from '../contract/int64.ts'
import { type Operation, PERMISSIONS, type Permission } from '../contract/operation.ts'
import type { Member } from '../contract/organization.ts'
import { Refusal } from './responses.ts'
import type { Account } from './store/world.ts'

export const KEY_NAMES = ['all', 'none', ...PERMISSIONS] as const
type KeyName = (typeof KEY_NAMES)[number]

export interface AppKey {
  readonly name: KeyName
  readonly key: string
  readonly memberId: Int64
}

/** Creates the keys of a sandbox. Equal seeds give equal keys. `given`, if set, is the key that has all permissions. */
export function issueKeys(seed: number, memberIds: readonly Int64[], given?: string): AppKey[] {
  return KEY_NAMES.map((name, k) => {
    const generated = `sbx${createHash('sha256').update(`${seed}:${name}`).digest('hex').slice(0, 29)}`
    return { name, key: name === 'all' ? (given ?? generated) : generated, memberId: memberIds[k]! }
  })
}

export type Identity = ReturnType<typeof authenticate>

/** Returns the member that a key acts for, and the key. @throws Refusal (Unauthorized) for an unknown key */
export function authenticate(keys: ReadonlyMap<string, AppKey>, account: Account, key: string | null) {
  const known = keys.get(key ?? '')
  const caller = known && account.callers.get(known.memberId)
  if (caller === undefined) throw new Refusal('Unauthorized')
  return { keyName: known!.name, caller }
}

/** Checks permissions. @throws Refusal (AccessDenied) if the caller has none of the operation's permissions */
export function authorize(operation: Operation, account: Account, caller: Member): void {
  if (operation.permissions.length === 0) return
  const held = permissionsOf(account, caller.account_role_ids ?? [])
  if (!operation.permissions.some((permission) => held.has(permission))) throw new Refusal('AccessDenied')
}

export function permissionsOf({ roles }: Account, roleIds: readonly Int64[]): Set<Permission> {
  const enabled = roleIds.map((id) => roles.get(id)).filter((role) => role?.status === 'enabled')
  return new Set(enabled.flatMap((role) => role?.permissions ?? []))
}
