import { channels } from './channels.ts'
import { folderRuleStatus } from './folder-rule-status.ts'
import { incidents } from './incidents.ts'
import { members } from './members.ts'
import { postMortems } from './post-mortems.ts'
import type { Resource } from './resource.ts'
import { teams } from './teams.ts'

const list = [incidents, channels, teams, members, postMortems, folderRuleStatus] as const

/** The resources with their exact columns, for the warehouse's row types. */
export type KnownResource = (typeof list)[number]

/** Everything we keep, in the order it is read: a resource whose ids come from a table stands after it. */
export const resources: readonly Resource[] = list
