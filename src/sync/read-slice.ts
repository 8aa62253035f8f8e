import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import { ServiceError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { PageReader } from '../warehouse/stage/bytes/read-page.ts'
import { type Accepted, allOf, createJudge, type Rejected } from './accept.ts'
import type { Ending } from './batch.ts'
import type { Loader } from './loader.ts'
import type { Slice } from './slice.ts'
import { pagesOf } from './strategies.ts'
import type { ReadContext } from './strategy.ts'

/** One slice, and what it takes to read it. */
export interface SliceReading {
  readonly context: ReadContext
  readonly loader: Loader
  readonly resource: Resource
  readonly slice: Slice
  /** Number of the slice in `sync_windows`. */
  readonly window: number
  readonly take: PageReader | undefined
  readonly onPage: () => void
}

/**
 * Reads one slice to its end and hands every page to the loader. Below the number where the service's total is
 * exact, the distinct records must equal it; a slice that does not match is read once more, then left unproven. A cursor
 * that is refused is dropped.
 * @returns the end to record, already given to the loader
 */
export async function readSlice(reading: SliceReading): Promise<Ending> {
  const { loader, resource, slice, window } = reading
  const fromItsBeginning = { ...reading, slice: { ...slice, cursor: null } }
  let proof = await readOnce(reading).catch((error: unknown) => {
    if (slice.cursor === null || !isRefused(error)) throw error
    return readOnce(fromItsBeginning)
  })
  if (!proof.complete) proof = await readOnce(fromItsBeginning)
  const ending: Ending = {
    resource,
    window,
    state: proof.complete ? 'done' : 'unproven',
    message: proof.complete ? null : `read ${proof.distinct} records, the service says ${proof.total}`,
    reread:
      proof.complete && slice.span && !slice.onlyOpen && proof.keys
        ? { ...slice.span, ids: slice.ids, keys: proof.keys }
        : null,
  }
  loader.end(ending)
  return ending
}

/** How long a cursor lives is not documented: a service that forgot the one of an interrupted run refuses it. */
function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'InvalidParameter'
}

interface Proof {
  readonly complete: boolean
  readonly distinct: number
  readonly total: number | null
  /** All keys seen, when the slice was read whole in this run. */
  readonly keys: ReadonlySet<string> | null
}

/** A record that does not tell its key, but was the only one asked for, is the one that was asked for. */
function withAskedKey(rejected: Rejected, [only, ...others]: readonly string[] = []): Rejected {
  return rejected.key === null && only !== undefined && others.length === 0
    ? { ...rejected, key: only }
    : rejected
}

async function readOnce(reading: SliceReading): Promise<Proof> {
  const { context, loader, resource, slice, window, take, onPage } = reading
  const judge = createJudge(resource)
  const keys = new Set<string>()
  let rejected = 0
  let total: number | null = null
  for await (const page of pagesOf(context, resource, slice, take)) {
    const { keys: pageKeys, ...accepted }: Accepted = page.taken ? allOf(page.taken) : judge(page.items)
    // A first read needs its keys only as long as the total can prove it: a month of a large company has many.
    for (const key of pageKeys) if (!slice.isFirst || keys.size <= TOTAL_EXACT_BELOW) keys.add(key)
    rejected += accepted.rejected.length
    // An answer with a record that does not fit settles none of its ids: the next run asks for them again.
    const isSettled = accepted.rejected.length === 0
    total = page.total
    await loader.add({
      resource,
      window,
      ...accepted,
      rejected: accepted.rejected.map((one) => withAskedKey(one, page.checked)),
      requestId: page.requestId,
      cursor: page.cursor,
      total: page.total,
      checked: isSettled ? (page.checked ?? []) : [],
      missing: isSettled ? (page.missing ?? []) : [],
    })
    onPage()
  }
  const distinct = keys.size + rejected
  const whole = slice.cursor === null
  const provable = whole && total !== null && total < TOTAL_EXACT_BELOW
  return {
    complete: !provable || distinct === total,
    distinct,
    total,
    keys: whole && rejected === 0 && !slice.isFirst ? keys : null,
  }
}
