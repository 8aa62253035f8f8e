import type { Alert } from '../../contract/alert.ts'
import type { Incident } from '../../contract/incident.ts'
import type { PostMortem } from '../../contract/post-mortem.ts'
import type { Account } from './account.ts'

/** What the sandbox serves: a seeded world or imported data. */
export interface World {
  readonly account: Account
  readonly incidents: Incidents
  /** Undefined when there is none of that id at the clock's time. */
  alert(alertId: string): Alert | undefined
  postMortem(postMortemId: string): PostMortem | undefined
  /** Ids of the newest alerts and of post-mortems, at most `most`. */
  alertIds(most: number): string[]
  postMortemIds(most: number): string[]
}

/**
 * The incidents of an account as they stand at the clock's time. They are numbered in the order of the list: start_time,
 * then incident_id. Numbers never change; new incidents appear at the end as the clock moves.
 */
export interface Incidents {
  /** Those below this number have started. */
  count(): number
  startOf(index: number): number
  idOf(index: number): string
  /** False before the incident was created and after it was purged. */
  isListed(index: number): boolean
  record(index: number): Incident
  /** The record as JSON, as it is sent. */
  json(index: number): string
  find(incidentId: string): number | undefined
}
