import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from '../errors.ts'

const names = z.array(z.string().min(1)).default([])

/** What is not stored, or only as a keyed hash. */
export const privacySchema = z
  .strictObject({
    drop: names.describe(
      'Columns that are not stored, as table.column, such as members.phone; below labels or fields also incidents.fields.customer.',
    ),
    hash: names.describe('Columns of text of which only a keyed hash is stored: equal texts stay equal.'),
    saltFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A file that holds the key of the hashes, 16 characters or more; FAULTLINE_PRIVACY_SALT goes before it. It is never stored in the warehouse.',
      ),
  })
  .prefault({})

/** The rules as they are used. */
export interface PrivacyRules {
  readonly drop: readonly string[]
  readonly hash: readonly string[]
  /** Key of the hashes; empty where nothing is hashed. */
  readonly salt: string
}

const SHORTEST_SALT = 16

/**
 * The rules with their salt, which is read only here.
 * @param file absolute path of the salt, if one is named
 * @param variable FAULTLINE_PRIVACY_SALT, if it is set
 * @throws ConfigError when something is to be hashed and there is no salt, or one that can be guessed
 */
export function privacyRules(
  { drop, hash }: { readonly drop: readonly string[]; readonly hash: readonly string[] },
  file: string | undefined,
  variable: string | undefined,
): PrivacyRules {
  const salt = hash.length === 0 ? '' : (variable ?? (file === undefined ? '' : readSalt(file)))
  if (hash.length > 0 && salt.length < SHORTEST_SALT) {
    throw new ConfigError(
      salt === ''
        ? 'privacy.hash: there is no salt to hash with.'
        : `privacy.hash: the salt has ${salt.length} characters; with fewer than ${SHORTEST_SALT} it can be guessed.`,
      {
        next: 'Write 32 random characters into a file (openssl rand -hex 16) and name it as `privacy.saltFile`, or set FAULTLINE_PRIVACY_SALT. Keep it: another one gives other hashes.',
      },
    )
  }
  return { drop, hash, salt }
}

function readSalt(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`The salt cannot be read from ${path}.`, {
      cause,
      next: 'Write it into that file, or set FAULTLINE_PRIVACY_SALT, which goes before it.',
    })
  }
}
