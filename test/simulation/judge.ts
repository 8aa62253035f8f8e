import type { Company } from './company.ts'
import { type Cost, KINDS, type OddKind } from './odd-kinds.ts'
import type { SyncPlan } from './plan.ts'
import type { Delivery } from './receiver.ts'

/** A sync that has ended, in any way. */
export interface Ran {
  readonly night: number
  /** Moments of the company at the start and end of the reading. A continued run begins with the first of its chain. */
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

/** The state after a sync, which judges only read. */
export interface Seen {
  readonly company: Company
  /** The syncs behind the stored data, without those that a backup undid. */
  readonly history: readonly Ran[]
  readonly last: Ran
  readonly folder: string
  /** The published file, if it exists. */
  readonly warehouse: string
  /** Queries the published copy. Returns an empty list before the first publish. */
  readonly rows: (sql: string) => Promise<Row[]>
  /** Values that no file and no message may contain now. */
  readonly secrets: readonly string[]
  /** Whether a backup was restored since the last sync that published. */
  readonly isRestored: boolean
  /** Whether the log of another client is beside the published file. */
  readonly isWrittenTo: boolean
  /** The most requests that processes sent in any second and any minute since the first night. */
  readonly most: { readonly inASecond: number; readonly inAMinute: number }
  readonly delivery: Delivery | undefined
  /** The rows that readers saw while the sync ran. */
  readonly sights: readonly string[]
}

/** One promise of the program, and a function that checks it. */
export interface Judge {
  readonly name: string
  readonly promise: string
  /** @returns violations of the promise, empty if it holds */
  readonly look: (seen: Seen) => Promise<string[]>
}

/**
 * Values that a judge stores after each sync. After a restored backup, the judge continues with the values of the sync
 * before that backup.
 */
export class Memory<Kept> {
  readonly #kept = new WeakMap<Ran, Kept>()

  /** The stored value of the second to last sync, or undefined. */
  before({ history }: Seen): Kept | undefined {
    const ran = history.at(-2)
    return ran && this.#kept.get(ran)
  }

  keep({ last }: Seen, kept: Kept): void {
    this.#kept.set(last, kept)
  }
}

/** Whether the sync was neither interrupted nor denied access to its files. */
export const isUndisturbed = ({ plan }: Ran) =>
  Object.keys(plan.faults).length === 0 &&
  !plan.isPoorKey &&
  plan.room === undefined &&
  plan.stopAt === undefined &&
  plan.kill === undefined

export const costsOf = ({ plan }: Ran): readonly Cost[] =>
  Object.keys(plan.odd ?? {}).map((kind) => KINDS[kind as OddKind].costs)

/** Whether a sync is partial only because some records were refused. All other records must be as in a green sync. */
function isOnlyRefused(ran: Ran): boolean {
  const isQuiet = isUndisturbed(ran) && ran.plan.meanwhile === undefined
  return (
    isQuiet &&
    ran.status === 'partial' &&
    ran.refused.size > 0 &&
    costsOf(ran).every((cost) => cost === 'a record')
  )
}

/** The last sync that is green or only lacks refused records, and the last sync that readers see. */
export function greenOf(history: readonly Ran[]): { green: Ran; shown: Ran } | undefined {
  const shown = history.findLast(({ published }) => published)
  const until = shown === undefined ? [] : history.slice(0, history.indexOf(shown) + 1)
  const green = until.findLast((ran) => ran.status === 'ok' || isOnlyRefused(ran))
  return green && shown ? { green, shown } : undefined
}
