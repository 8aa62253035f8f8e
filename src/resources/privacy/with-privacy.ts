import { ConfigError } from '../../errors.ts'
import type { Column, Resource } from '../resource.ts'
import { isKind } from './personal-data-kinds.ts'
import { createScrub } from './scrub.ts'
import { isIdSource, privacyTarget } from './target.ts'

interface PrivacyRules {
  readonly drop: readonly string[]
  readonly hash: readonly string[]
  readonly salt: string
}

/** Returns the resources with privacy rules. @throws ConfigError if a rule names a column that is unknown or needed */
export function withPrivacy(resources: readonly Resource[], { drop, hash, salt }: PrivacyRules) {
  const twice = drop.find((rule) => hash.includes(rule))
  if (twice !== undefined) {
    throw new ConfigError(`privacy: ${twice} is under both drop and hash.`, { next: 'Remove one of them.' })
  }
  const rules = [
    ...drop.map((rule) => ({ rule, act: 'drop' as const })),
    ...hash.map((rule) => ({ rule, act: 'hash' as const })),
  ]
  const targets = rules.flatMap(({ rule, act }) => (isKind(rule) ? [] : privacyTarget(rule, act, resources)))
  const kinds = rules.flatMap(({ rule, act }) => (isKind(rule) ? [{ kind: rule, act }] : []))
  return resources.map((resource) => {
    const own = targets.filter((target) => target.resource === resource)
    const scrub = createScrub(resource, { targets: own, kinds, ids: idColumns(resource, resources), salt })
    return scrub === undefined ? resource : { ...resource, scrub }
  })
}

/** Returns the text columns whose ids the sync needs to find records of this or another resource. */
function idColumns({ table, key, columns }: Resource, resources: readonly Resource[]): Column[] {
  return columns.filter(
    ({ name, type }) => type === 'VARCHAR' && (key.includes(name) || isIdSource(table, name, resources)),
  )
}
