import type { Company } from './company.ts'
import { type Cost, KINDS, type OddKind } from './odd-kinds.ts'
import type { SyncPlan } from './plan.ts'
import type { Delivery } from './receiver.ts'

/** A sync that ended, with or without a result. */
export interface Ran {
  readonly night: number
  /**
   * `Company.moment` at the start and end of the sync. A sync that continues an interrupted sync has the `began` of the
   * interrupted sync.
   */
  readonly began: number
  readonly ended: number
  /** The time of the service, Unix seconds. */
  readonly now: number
  /** The earliest incident start to sync, Unix seconds. */
  readonly since: number
  readonly plan: SyncPlan
  /** A `refused` sync has an error and no result. A `killed` or `stopped` sync has neither an error nor a result. */
  readonly status: 'ok' | 'partial' | 'failed' | 'refused' | 'stopped' | 'killed'
  /** Whether readers see what the sync read. */
  readonly published: boolean
  /** Messages of the sync about problems, each with the next step. */
  readonly words: readonly { readonly message: string; readonly next: string | undefined }[]
  /** Records that the service refused during the sync, each as its table and its id. */
  readonly refused: ReadonlySet<string>
}

export type Row = Readonly<Record<string, unknown>>

/** The state of the simulation after a sync. Judges inspect this state, but must not change it. */
export interface Seen {
  readonly company: Company
  /** All syncs that led to the stored data. Excludes syncs that were undone by restoring a backup. */
  readonly history: readonly Ran[]
  readonly last: Ran
  readonly folder: string
  /** The published file, if it exists. */
  readonly warehouse: string
  /** Queries the published copy. Returns an empty list before the first publish. */
  readonly rows: (sql: string) => Promise<Row[]>
  /** Secrets that no file or message may contain at this time. */
  readonly secrets: readonly string[]
  /** Whether a backup was restored since the last sync that published. */
  readonly isRestored: boolean
  /** Whether another client left a write-ahead log beside the published file. */
  readonly isWrittenTo: boolean
  /**
   * The most requests that arrived within one second and within one minute. Counts only syncs that ran as processes.
   */
  readonly most: { readonly inASecond: number; readonly inAMinute: number }
  readonly delivery: Delivery | undefined
  /** Results of the query `SIGHT` that readers got while the sync ran. */
  readonly sights: readonly string[]
}

/** One promise of the program, and a function that checks it. */
export interface Judge {
  readonly name: string
  readonly promise: string
  /**
   * Remembers one value of a judge for each sync. After a backup was restored, `before` returns the value from the time
   * of the backup.
   */
  readonly look: (seen: Seen) => Promise<string[]>
}

/**
 * Values that a judge stores after each sync. After a restored backup, the judge continues with the values of the sync
 * before that backup.
 */
export class Memory<Kept> {
  readonly #kept = new WeakMap<Ran, Kept>()

  /** Returns the value stored after the previous sync, or undefined if there is none. */
  before({ history }: Seen): Kept | undefined {
    const ran = history.at(-2)
    return ran && this.#kept.get(ran)
  }

  keep({ last }: Seen, kept: Kept): void {
    this.#kept.set(last, kept)
  }
}

/** Whether the plan of the sync has no faults of the service, missing rights, full disk or interruption. */
export const isUndisturbed = ({ plan }: Ran) =>
  Object.keys(plan.faults).length === 0 &&
  !plan.isPoorKey &&
  plan.room === undefined &&
  plan.stopAt === undefined &&
  plan.kill === undefined

export const costsOf = ({ plan }: Ran): readonly Cost[] =>
  Object.keys(plan.odd ?? {}).map((kind) => KINDS[kind as OddKind].costs)

/**
 * Whether a sync is partial only because the service refused some records. All other records must be current, as after
 * a successful sync.
 */
function isOnlyRefused(ran: Ran): boolean {
  const isQuiet = isUndisturbed(ran) && ran.plan.meanwhile === undefined
  return (
    isQuiet &&
    ran.status === 'partial' &&
    ran.refused.size > 0 &&
    costsOf(ran).every((cost) => cost === 'a record')
  )
}

/**
 * Returns the last sync that readers can see (`shown`), and the last sync up to it that succeeded or lacks only refused
 * records (`green`).
 */
export function greenOf(history: readonly Ran[]): { green: Ran; shown: Ran } | undefined {
  const shown = history.findLast(({ published }) => published)
  const until = shown === undefined ? [] : history.slice(0, history.indexOf(shown) + 1)
  const green = until.findLast((ran) => ran.status === 'ok' || isOnlyRefused(ran))
  return green && shown ? { green, shown } : undefined
}
