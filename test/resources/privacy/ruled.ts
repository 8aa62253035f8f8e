import { createHmac } from 'node:crypto'
import { resources } from '../../../src/resources/index.ts'
import { withPrivacy } from '../../../src/resources/privacy/with-privacy.ts'
import { createValidator } from '../../../src/sync/validate-records.ts'

interface Rules {
  readonly drop?: readonly string[]
  readonly hash?: readonly string[]
}

export const salt = 'a salt of sixteen or more'
export const hmac = (text: string) => `hmac:${createHmac('sha256', salt).update(text).digest('hex')}`

export const ruled = (rules: Rules) => withPrivacy(resources, { drop: [], hash: [], salt, ...rules })

export const resourceWith = (rules: Rules, table: string) => ruled(rules).find((one) => one.table === table)!

/** Validates records of a table under privacy rules. */
export function validated(rules: Rules, table: string, ...items: unknown[]) {
  return createValidator(resourceWith(rules, table))(structuredClone(items))
}
