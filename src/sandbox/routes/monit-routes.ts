import { CALENDAR_ZONE_DEFAULT, FOLDER_RULES_MAX } from '../../contract/assumptions.ts'
import type { Int64 } from '../../contract/int64.ts'
import { hash, unit } from '../random.ts'
import { invalidParameter, notFound } from '../responses.ts'
import type { Account, MonitRule } from '../store/world.ts'
import type { Handlers } from './handler.ts'

const FIXED = new Set(['id', 'ids', 'fields', 'folder_id', 'updated_at', '__proto__'])

export const monitHandlers: Handlers<'monit'> = {
  'monit/rule/update/fields'(request, { world: { account }, clock }) {
    for (const field of request.fields) {
      const isSent = Object.hasOwn(request, field) && request[field] !== null && request[field] !== undefined
      if (FIXED.has(field)) throw invalidParameter('fields')
      if (!isSent || (field === 'name' && typeof request.name !== 'string')) throw invalidParameter(field)
    }
    return () =>
      request.ids.map((id) => {
        const rule = account.rules.get(id)
        if (rule === undefined) return { name: String(id), message: 'The rule was not found.' }
        for (const field of request.fields)
          rule[field] = field === 'timezone' ? request.timezone || CALENDAR_ZONE_DEFAULT : request[field]
        rule.updated_at = clock.now()
        return { name: rule.name, message: '' }
      })
  },

  'monit/rule/delete'({ id }, { world: { account } }) {
    if (!account.rules.has(id)) throw notFound(`rule ${id}`)
    return () => {
      account.rules.delete(id)
      return {}
    }
  },

  // Each direct subfolder has one row, which includes everything below. A first row counts the rules in the requested
  // folder itself. This row is omitted for folder 0, and for a folder that contains only subfolders.
  'monit/rule/status'({ folder_id }, { world: { account }, clock, seed }) {
    const asked = folder_id ?? 0
    if (asked !== 0 && !account.folders.has(asked)) throw notFound(`folder ${asked}`)
    const statusOf = (id: Int64, rules: readonly MonitRule[]) => {
      const folder = account.folders.get(id)!
      const isCounted = rules.length <= FOLDER_RULES_MAX
      return (
        folder.given ?? {
          folder_id: id,
          folder_name: folder.folder_name,
          rule_total: rules.length,
          ...(isCounted && {
            triggered_rule_count: rules.filter((rule) => isTriggered(rule, clock.now(), seed)).length,
          }),
        }
      )
    }
    const rows = childrenOf(account, asked).map((id) => statusOf(id, rulesBelow(account, id)))
    const own = [...account.rules.values()].filter((rule) => rule.folder_id === asked)
    const isOwnRow = asked !== 0 && (own.length > 0 || rows.length === 0)
    return isOwnRow ? [statusOf(asked, own), ...rows] : rows
  },
}

function childrenOf(account: Account, id: Int64): Int64[] {
  return [...account.folders.values()]
    .filter((folder) => folder.parent_id === id)
    .map((folder) => folder.folder_id)
}

function rulesBelow(account: Account, id: Int64): MonitRule[] {
  const family = new Set<Int64>([id])
  // A loop over a set also visits elements that are added during the loop.
  for (const one of family) for (const child of childrenOf(account, one)) family.add(child)
  return [...account.rules.values()].filter((rule) => family.has(rule.folder_id))
}

const SLOT_S = 900

/** Whether a rule is triggered. Every enabled rule is triggered from time to time, for a quarter of an hour. */
function isTriggered(rule: MonitRule, now: number, seed: number): boolean {
  if (!rule.enabled) return false
  const name = Number(BigInt.asUintN(32, BigInt(rule.id)))
  const usual = 0.01 + 0.12 * unit(seed, name, 310)
  return unit(hash(seed, name, 311), Math.floor(now / SLOT_S), 312) < usual
}
