import { ConfigError, unknownName } from '../errors.ts'
import { channels } from './channels.ts'
import { folderRuleStatus } from './folder-rule-status.ts'
import { incidents } from './incidents.ts'
import { members } from './members.ts'
import { postMortems } from './post-mortems.ts'
import type { Resource } from './resource.ts'
import { teams } from './teams.ts'

const list = [incidents, channels, teams, members, postMortems, folderRuleStatus] as const

/** Union of all resources with their exact columns, from which the warehouse derives its row types. */
export type KnownResource = (typeof list)[number]

/** All resources in reading order. A resource that uses the ids of another resource comes after that resource. */
export const resources: readonly Resource[] = list

/** Returns the named resources in reading order, or all of them if no name is given. */
export function pickResources(names: readonly string[] | undefined, all: readonly Resource[]) {
  if (names === undefined || names.length === 0) return all
  const known = all.map((resource) => resource.table)
  const wrong = names.find((name) => !known.includes(name))
  if (wrong !== undefined)
    throw new ConfigError(`Unknown resource "${wrong}".`, { next: unknownName(wrong, known) })
  return all.filter((resource) => names.includes(resource.table))
}
