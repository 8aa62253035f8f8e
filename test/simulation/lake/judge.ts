import type { Incident } from '../../../src/contract/incident.ts'
import type { Came } from './door.ts'
import type { Account, Machine } from './script.ts'

/** A process that has ended. */
export interface Ran {
  readonly machine: Machine
  /** Which process of that machine, counted from 1; 0 for a command of its administrator. */
  readonly process: number
  readonly args: readonly string[]
  /** Null where it was killed, or its signal ended it. */
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** When it had ended, by the clock of the door. */
  readonly at: number
}

/** What a reader saw of an account. */
export interface Sight {
  /** Counts the times that a reader opened the lake. */
  readonly opened: number
  readonly account: string
  readonly run: string
  readonly rows: number
  readonly keys: number
  readonly sum: string
}

export type Row = Readonly<Record<string, unknown>>

/** What a judge may look at when a script is over, all that was away is back, and what was left to do is done. */
export interface Seen {
  /** Of each account that is still configured, what its service has. */
  readonly truth: ReadonlyMap<Account, readonly Incident[]>
  /** Asks the lake. */
  readonly rows: (sql: string) => Promise<Row[]>
  /** All requests, in their order. */
  readonly came: readonly Came[]
  /** When days went by, by the clock of the door. */
  readonly nights: readonly number[]
  readonly ran: readonly Ran[]
  /** The command that synced whatever was left to do in the end; one of `ran`. */
  readonly last: Ran
  readonly sights: readonly Sight[]
  readonly secrets: readonly string[]
  /** Folders of the machines, and of the lake's rows. */
  readonly folders: readonly string[]
}

/** One promise of many machines, and somebody who holds it against what is there. */
export interface Judge {
  readonly name: string
  readonly promise: string
  /** @returns what breaks the promise, in words; nothing where it is kept */
  readonly look: (seen: Seen) => Promise<string[]>
}
