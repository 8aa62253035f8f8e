import { ConfigError, unknownName } from '../errors.ts'
import type { Resource } from './resource.ts'

/** The resources of those names, in the order they are read; all of them when none is named. */
export function pickResources(
  names: readonly string[] | undefined,
  all: readonly Resource[],
): readonly Resource[] {
  if (names === undefined || names.length === 0) return all
  const known = all.map((resource) => resource.table)
  for (const name of names) {
    if (!known.includes(name)) {
      throw new ConfigError(`There is no resource "${name}".`, { next: unknownName(name, known) })
    }
  }
  return all.filter((resource) => names.includes(resource.table))
}
