import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import type { Resource } from '../resources/resource.ts'
import { at, pathOf, type RecordRow } from '../warehouse/load/record-row.ts'
import type { ValidatedPage } from './batch.ts'
import {
  type Accepted,
  isAcceptedIncomplete,
  type ReadCounts,
  unprovenMessage,
  unprovenRows,
} from './completeness.ts'
import type { Loader } from './loader.ts'
import { lowerId } from './lower-ids.ts'
import type { CheckedIds, Page, ReadContext } from './page.ts'
import { isAboutCursor } from './read-windows.ts'
import { askedWindow, type Slice, STALE_S } from './slice.ts'
import type { SliceRun } from './slice-runs.ts'
import { pagesOf } from './strategies.ts'
import { createValidator, type Rejected, refusedRecord } from './validate-records.ts'
import { after } from './window-state.ts'

export interface SliceContext extends ReadContext {
  readonly accountId: bigint
  readonly loader: Loader
  /** The service's clock, estimated without a request, milliseconds since the epoch. */
  readonly now: () => number
  readonly accepted: readonly Accepted[]
  /** The latest `Date` header of the run, milliseconds since the epoch. */
  readonly served: { latest: number }
  readonly onPage: (resource: Resource) => void
}

/**
 * Reads a slice (one window, or some ids). If the number of records differs from the service's total, reads it again.
 * If the numbers still differ, the slice is unverified, unless a person accepted that.
 */
export async function readSlice(
  context: SliceContext,
  { resource, slice, windowId }: SliceRun,
): Promise<Pick<SliceRun, 'proof' | 'answers' | 'open' | 'isAstray' | 'outcome'>> {
  const read = (cursor: string | null) => readOnce(context, resource, { ...slice, cursor }, windowId)
  let reading = await read(slice.cursor).catch((error: unknown) => {
    // Starts from the beginning, because the cursor of an interrupted run might have expired.
    if (slice.cursor === null || !isAboutCursor(error)) throw error
    return read(null)
  })
  let former: string[] = []
  let { astray } = reading.proof
  if (unprovenRows(resource, reading.proof) > 0) {
    former = reading.requestIds
    reading = await read(null)
    astray += reading.proof.astray
  }
  const { keys, settled, requestIds: last } = reading
  const proof = { ...reading.proof, isRepeated: false }
  const rows = unprovenRows(resource, proof)
  const { acceptUnproven = false } = context.scope
  const isTaken = acceptUnproven || (rows > 0 && isAcceptedIncomplete(context.accepted, slice.window, rows))
  const state = after('open', rows === 0 ? 'proven' : isTaken ? 'taken' : 'not proven')
  const isReread = state === 'done' && resource.read.kind !== 'snapshot' && !slice.onlyOpen && keys
  context.loader.end({
    resource,
    windowId,
    state,
    message: rows === 0 ? null : unprovenMessage(proof),
    accepted: state === 'accepted' ? { window: slice.window, rows } : undefined,
    whole: state === 'done' && slice.ids === null && !slice.onlyOpen ? slice.window : undefined,
    reread: isReread ? { window: slice.window, ids: settled ?? slice.ids, keys } : null,
  })
  const open = state === 'done' && slice.onlyOpen && keys ? { open: keys } : {}
  return { outcome: state, proof, answers: { former, last }, isAstray: astray > 0, ...open }
}

/** Adds a missing key to a rejected record. If only one id was requested, the record must have that id. */
function withAskedKey(rejected: Rejected, [only, ...others]: readonly string[] = []): Rejected {
  return others.length > 0 ? rejected : { ...rejected, key: rejected.key ?? only ?? null }
}

interface Reading {
  readonly proof: ReadCounts
  /** Keys of all records that were read, including rejected records. Null if some keys are unknown. */
  readonly keys: ReadonlySet<string> | null
  /** Ids that the service returned or reported as missing. Null if the resource is not read by id. */
  readonly settled: readonly string[] | null
  readonly requestIds: string[]
}

async function readOnce(context: SliceContext, resource: Resource, slice: Slice, windowId: number) {
  const tally = new Tally(context, resource, slice)
  for await (const page of pagesOf(context, resource, slice)) {
    await context.loader.add({ resource, windowId, ...tally.take(page) })
    context.onPage(resource)
  }
  return tally.reading()
}

class Tally {
  readonly #context: SliceContext
  readonly #resource: Resource
  readonly #slice: Slice
  readonly #validate: ReturnType<typeof createValidator>
  readonly #belongs: ReturnType<typeof belongsTo>
  readonly #keys = new Set<string>()
  readonly #rejectedKeys = new Set<string>()
  readonly #requestIds: string[] = []
  readonly #settled: string[] = []
  readonly #counts = { rejected: 0, astray: 0, foreign: 0, unreadable: 0, stale: 0 }
  #total: number | null = null
  #hasMoved = false
  #isWhole = true

  constructor(context: SliceContext, resource: Resource, slice: Slice) {
    this.#context = context
    this.#resource = resource
    this.#slice = slice
    this.#validate = createValidator(resource, context.accountId)
    this.#belongs = belongsTo(resource, slice)
  }

  take(answer: Page): Omit<ValidatedPage, 'resource' | 'windowId'> {
    const page = this.#isStale(answer) ? this.#countStale(answer) : answer
    const now = (page.serviceTime ?? this.#context.now()) / 1_000
    const { keys, ...records } = this.#validate(page.items, now)
    const strays = this.#countKeys(records.accepted, keys, page)
    const { refused = [], requestId, cursor, total } = page
    if (refused.length === 0) {
      this.#requestIds.push(requestId)
      if (this.#total !== null && total !== this.#total) this.#hasMoved = true
      this.#total = total
    }
    this.#counts.astray += strays
    this.#counts.unreadable += refused.length
    const rejected = records.rejected.map((one) => withAskedKey(one, page.checked))
    this.#countRejected(rejected)
    const settled = settledIds(page, rejected, strays)
    this.#settled.push(...settled.checked.filter((id) => !settled.denied.includes(id)))
    const notRead = refused.map((one) => refusedRecord(this.#resource, one))
    return { ...records, ...settled, rejected: [...rejected, ...notRead], requestId, cursor, total }
  }

  #countRejected(rejected: readonly Rejected[]): void {
    for (const { key, isForeign } of rejected) {
      if (isForeign) this.#counts.foreign += 1
      else this.#counts.rejected += 1
      if (key === null || isForeign) this.#isWhole = false
      else this.#rejectedKeys.add(lowerId(key))
    }
  }

  /** @returns the number of records that do not belong to the slice */
  #countKeys(accepted: readonly RecordRow[], keys: readonly string[], page: Page): number {
    let strays = 0
    for (const [index, key] of keys.entries()) {
      if (!this.#belongs(accepted[index]!, key, page)) strays += 1
      // A first read needs keys only while the total is exact. More keys would take too much memory.
      else if (!this.#slice.isFirst || this.#keys.size <= TOTAL_EXACT_BELOW) this.#keys.add(key)
    }
    return strays
  }

  #isStale({ serviceTime }: Page): boolean {
    const { served } = this.#context
    if (serviceTime === null) return false
    const isStale = serviceTime < served.latest - STALE_S * 1_000
    served.latest = Math.max(served.latest, serviceTime)
    return isStale
  }

  /** Drops old records from a cache, because they would replace newer ones. A first read has nothing to replace. */
  #countStale(page: Page): Page {
    this.#counts.stale += 1
    const nothing = { items: [], refused: [], checked: [], missing: [], denied: [] }
    return this.#slice.isFirst ? page : { ...page, ...nothing }
  }

  reading(): Reading {
    const { rejected, ...counts } = this.#counts
    const isFromBeginning = this.#slice.cursor === null
    const isById = this.#resource.read.kind === 'ids'
    const isWhole = isById || (this.#isWhole && counts.unreadable === 0)
    return {
      proof: {
        ...counts,
        distinct: this.#keys.size + rejected,
        // The total is unknown for a read that started at a cursor, because the pages before it were not counted.
        total: isFromBeginning ? this.#total : null,
        hasMoved: this.#hasMoved,
      },
      keys:
        isFromBeginning && isWhole && !this.#slice.isFirst
          ? new Set([...this.#keys, ...this.#rejectedKeys])
          : null,
      settled: isById ? this.#settled : null,
      requestIds: this.#requestIds,
    }
  }
}

/** Returns the requested ids without those of rejected records. Returns none if any record was not requested. */
function settledIds(
  { checked = [], missing = [], denied = [] }: Page,
  rejected: readonly Rejected[],
  strays: number,
): CheckedIds {
  const asked = new Set(checked.map((id) => id.toLowerCase()))
  const open = new Set(rejected.map(({ key }) => key?.toLowerCase() ?? ''))
  const isElsewhere = [...open].some((id) => !asked.has(id))
  if (strays > 0 || isElsewhere) return { checked: [], missing: [], denied: [] }
  return { checked: checked.filter((id) => !open.has(id.toLowerCase())), missing, denied }
}

function belongsTo(
  resource: Resource,
  { window, ids }: Slice,
): (record: RecordRow, key: string, page: Page) => boolean {
  const { read } = resource
  if (read.kind === 'ids') {
    return (_, key, { checked = [] }) => checked.some((id) => id.toLowerCase() === key.toLowerCase())
  }
  if (read.kind !== 'windows' || window === null) return () => true
  const path = pathOf(resource, read.start)
  const wanted = ids && new Set(ids)
  const asked = askedWindow(window)
  return (record, key) => {
    const start = Number(at(record, path))
    return start >= asked.start && start <= asked.end && (wanted === null || wanted.has(key))
  }
}
