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

/** All resources in the order they are read: one whose ids come from a table follows it. */
export const resources: readonly Resource[] = list
