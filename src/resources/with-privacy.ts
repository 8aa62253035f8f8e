import { ConfigError } from '../errors.ts'
import { privacyTarget } from './privacy-target.ts'
import type { Resource } from './resource.ts'
import { createScrub } from './scrub.ts'

/**
 * The resources with the rules built in: what reads records of them applies the rules before anything is stored. A
 * resource that no rule is about stays the very same object.
 * @throws ConfigError for a rule that names nothing, or what the sync needs
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
    throw new ConfigError(`privacy: ${twice} stands under drop and under hash.`, {
      next: 'Take one of them away.',
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
