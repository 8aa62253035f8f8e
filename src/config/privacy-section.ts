import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { optionalText, text } from '../settings/config-fields.ts'
import { readSecret } from '../settings/secret-file.ts'

const names = z.array(text).default([])

export const privacySchema = z
  .strictObject({
    drop: names.describe(
      'Columns that are not stored, such as members.phone, or incidents.fields.customer inside JSON. Also accepts a kind: `email` for every e-mail address in any text, `name` for every field with the name of a person.',
    ),
    hash: names.describe(
      'Text columns that are stored as a keyed hash. Equal texts have equal hashes. Also accepts `email` and `name`.',
    ),
    saltFile: optionalText(
      'File that contains the key of the hashes, 16 characters or more. FAULTLINE_PRIVACY_SALT overrides it. The key is never stored in the warehouse.',
    ),
  })
  .prefault({})

export interface PrivacyRules {
  readonly drop: readonly string[]
  readonly hash: readonly string[]
  /** Secret key for the hashes. Empty if nothing is hashed. */
  readonly salt: string
}

const SHORTEST_SALT = 16

/** Returns the rules, with the salt if a column is hashed. @throws ConfigError if the salt is missing or too short */
export function privacyRules(
  { drop, hash }: Omit<PrivacyRules, 'salt'>,
  file: string | undefined,
  variable: string | undefined,
): PrivacyRules {
  const next = 'Write it to this file, or set FAULTLINE_PRIVACY_SALT, which overrides it.'
  if (hash.length === 0) return { drop, hash, salt: '' }
  const salt = variable ?? (file === undefined ? '' : readSecret(file, 'The salt', next, { mayBreak: true }))
  if (salt.length < SHORTEST_SALT)
    throw new ConfigError(
      salt === ''
        ? 'privacy.hash: the salt is missing.'
        : `privacy.hash: the salt has ${salt.length} characters, but needs at least ${SHORTEST_SALT}.`,
      {
        next: 'Write 32 random characters to a file (openssl rand -hex 16) and set `privacy.saltFile`, or set FAULTLINE_PRIVACY_SALT. Never change it, because a different salt changes all hashes.',
      },
    )
  return { drop, hash, salt }
}
