import type { Company } from './company.ts'
import { type Cost, KINDS, type OddKind } from './odd-kinds.ts'
import type { SyncPlan } from './plan.ts'
import type { Delivery } from './receiver.ts'

/** A sync that has ended, however it did. */
export interface Ran {
  readonly night: number
  /** The company's moments between which it read; the first run of those that it continues began with them. */
  readonly began: number
  readonly ended: number
  /** The service's time, Unix seconds. */
  readonly now: number
  /** The oldest start that it wanted. */
  readonly since: number
  readonly plan: SyncPlan
  /** `refused`: an error instead of a result. `killed` and `stopped`: there is neither. */
  readonly status: 'ok' | 'partial' | 'failed' | 'refused' | 'stopped' | 'killed'
  /** Whether readers see what it read. */
  readonly published: boolean
  /** What it says of what went wrong: sentences, each with what to do. */
  readonly words: readonly { readonly message: string; readonly next: string | undefined }[]
  /** Records that the service refused while it ran, each as its table and its id. */
  readonly refused: ReadonlySet<string>
}

export type Row = Readonly<Record<string, unknown>>

/** What a judge may look at when a sync has ended. It looks, and changes nothing. */
export interface Seen {
  readonly company: Company
  /** The syncs that made what is stored now: none that a backup took back. */
  readonly history: readonly Ran[]
  readonly last: Ran
  readonly folder: string
  /** What readers open, once it is there. */
  readonly warehouse: string
  /** Asks what was published; no rows before anything was. */
  readonly rows: (sql: string) => Promise<Row[]>
  /** What no file or sentence may hold now. */
  readonly secrets: readonly string[]
  /** Whether a backup was put back since the last sync that published. */
  readonly isRestored: boolean
  /** Whether another client's log lies beside the published file. */
  readonly isWrittenTo: boolean
  /** The most requests of processes in any second and any minute since the first night. */
  readonly most: { readonly inASecond: number; readonly inAMinute: number }
  /** What came of the night's report, where one was asked for. */
  readonly delivery: Delivery | undefined
  /** What readers saw while it ran. */
  readonly sights: readonly string[]
}

/** One promise of the program, and somebody who holds it against what is there. */
export interface Judge {
  readonly name: string
  readonly promise: string
  /** @returns what breaks the promise, in words; nothing where it is kept */
  readonly look: (seen: Seen) => Promise<string[]>
}

/**
 * What a judge remembers of each sync. A backup that is put back takes the memory back too: the sync before this one is then the
 * sync that made the backup.
 */
export class Memory<Kept> {
  readonly #kept = new WeakMap<Ran, Kept>()

  /** What was kept of the sync before the last one; undefined before there was one. */
  before({ history }: Seen): Kept | undefined {
    const ran = history.at(-2)
    return ran && this.#kept.get(ran)
  }

  keep({ last }: Seen, kept: Kept): void {
    this.#kept.set(last, kept)
  }
}

/** What nothing but the service's answers decides: the sync was neither interrupted nor kept from its files. */
export const isUndisturbed = ({ plan }: Ran) =>
  Object.keys(plan.faults).length === 0 &&
  !plan.isPoorKey &&
  plan.room === undefined &&
  plan.stopAt === undefined &&
  plan.kill === undefined

/** What the odd answers of a sync may cost. */
export const costsOf = ({ plan }: Ran): readonly Cost[] =>
  Object.keys(plan.odd ?? {}).map((kind) => KINDS[kind as OddKind].costs)

/** Whether a sync is partial for the only reason that some records were refused: all others are to be as in a green one. */
function isOnlyRefused(ran: Ran): boolean {
  const isQuiet = isUndisturbed(ran) && ran.plan.meanwhile === undefined
  return (
    isQuiet &&
    ran.status === 'partial' &&
    ran.refused.size > 0 &&
    costsOf(ran).every((cost) => cost === 'a record')
  )
}

/** The last sync that was green, or that only misses records which the service refused; and the last one that readers see. */
export function greenOf(history: readonly Ran[]): { green: Ran; shown: Ran } | undefined {
  const shown = history.findLast(({ published }) => published)
  const until = shown === undefined ? [] : history.slice(0, history.indexOf(shown) + 1)
  const green = until.findLast((ran) => ran.status === 'ok' || isOnlyRefused(ran))
  return green && shown ? { green, shown } : undefined
}
