import type { Alert } from '../contract/alert.ts'
import type { Member } from '../contract/member.ts'
import type { PostMortem } from '../contract/post-mortem.ts'
import type { Clock } from './clock.ts'
import type { Account } from './store/account.ts'
import type { IncidentSet } from './store/incident-set.ts'

/** What the service serves: a seeded world or imported data behind the same face. */
export interface World {
  readonly account: Account
  readonly incidents: IncidentSet
  /** Undefined when there is none of that id, now. */
  alert(alertId: string): Alert | undefined
  postMortem(postMortemId: string): PostMortem | undefined
  /** Ids for the side door, at most `most`. */
  alertIds(most: number): string[]
  postMortemIds(most: number): string[]
}

/** What a handler knows of the call it answers. */
export interface Call {
  readonly world: World
  readonly clock: Clock
  readonly caller: Member
  readonly seed: number
}
