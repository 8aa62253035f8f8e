import { ConfigError } from '../../errors.ts'
import type { Resource } from '../resource.ts'
import { createScrub } from './scrub.ts'
import { privacyTarget } from './target.ts'

/**
 * The resources with their privacy rules, which apply before anything is stored. A resource without rules stays the same
 * object.
 * @throws ConfigError for a rule that names no column, or one that the sync needs
 */
export function withPrivacy(
  resources: readonly Resource[],
  {
    drop,
    hash,
    salt,
  }: { readonly drop: readonly string[]; readonly hash: readonly string[]; readonly salt: string },
): readonly Resource[] {
  const twice = drop.find((rule) => hash.includes(rule))
  if (twice !== undefined) {
    throw new ConfigError(`privacy: ${twice} is under both drop and hash.`, {
      next: 'Remove one of them.',
    })
  }
  const targets = [
    ...drop.map((rule) => privacyTarget(rule, 'drop', resources)),
    ...hash.map((rule) => privacyTarget(rule, 'hash', resources)),
  ]
  return resources.map((resource) => {
    const scrub = createScrub(
      targets.filter((target) => target.resource === resource),
      salt,
    )
    return scrub === undefined ? resource : { ...resource, scrub }
  })
}
