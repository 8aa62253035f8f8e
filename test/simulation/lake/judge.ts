import type { Incident } from '../../../src/contract/incident.ts'
import type { Came } from './door.ts'
import type { Account, Machine } from './script.ts'

export interface Ran {
  readonly machine: Machine
  /** The number of the process on its machine, from 1, or 0 for a command of the administrator. */
  readonly process: number
  readonly args: readonly string[]
  /** Null if a signal ended the process. */
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** The time at which the process ended, on the clock of the proxy. */
  readonly at: number
}

/** The rows of an account that a reader saw at one time. */
export interface Sight {
  /** How many times the reader had opened the lake by then. */
  readonly opened: number
  readonly account: string
  readonly run: string
  readonly rows: number
  readonly keys: number
  readonly sum: string
}

export type Row = Readonly<Record<string, unknown>>

/** The state after a script, for the judges. Every outage has ended, and the machines have done all remaining work. */
export interface Seen {
  /** The incidents at the service, for each configured account. */
  readonly truth: ReadonlyMap<Account, readonly Incident[]>
  readonly rows: (sql: string) => Promise<Row[]>
  /** All requests, in their order. */
  readonly came: readonly Came[]
  /** The times at which the step `night` moved the clocks forward, on the clock of the proxy. */
  readonly nights: readonly number[]
  readonly ran: readonly Ran[]
  /** The command that did all remaining syncs at the end, which is also in `ran`. */
  readonly last: Ran
  readonly sights: readonly Sight[]
  readonly secrets: readonly string[]
  /** Folders of the machines, and the folder of the lake's data files. */
  readonly folders: readonly string[]
}

/** One promise about several machines, and a function that checks it. */
export interface Judge {
  readonly name: string
  readonly promise: string
  /** @returns violations of the promise, empty if it holds */
  readonly look: (seen: Seen) => Promise<string[]>
}
