import type { PrivacyRules } from '../../config/privacy.ts'
import { addressColumns } from '../../warehouse/read/addresses.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

/** Columns that are named before the rest is only counted. */
const NAMED_MOST = 12

/**
 * Which stored columns hold what looks like an e-mail address: a warning where rules of privacy are set, since somebody
 * meant to leave some out; else a plain word.
 */
export async function checkPrivacy(
  reader: Reader,
  { drop, hash }: Pick<PrivacyRules, 'drop' | 'hash'>,
): Promise<Finding> {
  try {
    const columns = await addressColumns(reader)
    const kept = columns.map(({ table, column, rows }) => `${table}.${column} (${rows})`)
    const named = kept.slice(0, NAMED_MOST).join(', ')
    const more = kept.length > NAMED_MOST ? ` and ${kept.length - NAMED_MOST} more columns` : ''
    if (kept.length === 0) return ok('privacy', 'no column holds what looks like an e-mail address')
    const message = `what looks like e-mail addresses stands in ${named}${more}; rows in brackets`
    if (drop.length + hash.length === 0) return ok('privacy', message)
    return warn(
      'privacy',
      message,
      'Name `email` under `privacy.hash` or `privacy.drop`, which covers every column but ids, and sync; or leave it so.',
    )
  } catch (error) {
    return failed('privacy', error)
  }
}
