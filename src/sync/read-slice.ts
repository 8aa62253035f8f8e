import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import { ServiceError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { at, pathOf, type RecordRow } from '../warehouse/load/record-row.ts'
import type { Loader } from './loader.ts'
import type { Page, ReadContext } from './page.ts'
import { type Accepted, type Counted, isAccepted, unprovenMessage, unprovenRows } from './proof.ts'
import { askedWindow, type Slice } from './slice.ts'
import type { SliceRun } from './slice-runs.ts'
import { pagesOf } from './strategies.ts'
import { createValidator, type Rejected } from './validate-records.ts'
import { after, type WindowState } from './window-state.ts'

/** What the slices of a resource share while they are read. */
export interface SliceContext extends ReadContext {
  readonly accountId: bigint
  readonly loader: Loader
  /** The service's clock, milliseconds, as far as it is known without asking. */
  readonly now: () => number
  /** What was accepted as unproven of the resource before. */
  readonly accepted: readonly Accepted[]
  readonly onPage: (resource: Resource) => void
}

/**
 * Reads one slice to its end and hands every page to the loader. Below the number where the service's total is exact, the
 * distinct records that belong to the slice must equal it, and none may belong elsewhere; a slice that is not proven so is
 * read once more, then left unproven, or accepted as before. A cursor that is refused is dropped. @returns its outcome
 */
export async function readSlice(
  context: SliceContext,
  { resource, slice, windowId }: SliceRun,
): Promise<
  Pick<SliceRun, 'proof' | 'answers' | 'open' | 'isAstray'> & {
    readonly outcome: Exclude<WindowState, 'open'>
  }
> {
  const read = (cursor: string | null) => readOnce(context, resource, { ...slice, cursor }, windowId)
  let reading = await read(slice.cursor).catch((error: unknown) => {
    if (slice.cursor === null || !isRefused(error)) throw error
    return read(null)
  })
  let former: string[] = []
  let { astray } = reading.proof
  if (unprovenRows(resource, reading.proof) > 0) {
    former = reading.requestIds
    reading = await read(null)
    astray += reading.proof.astray
  }
  const { keys, requestIds: last } = reading
  const proof = { ...reading.proof, isRepeated: false }
  const rows = unprovenRows(resource, proof)
  const { acceptUnproven = false } = context.scope
  const isTaken = acceptUnproven || (rows > 0 && isAccepted(context.accepted, slice.window, rows))
  const state = after('open', rows === 0 ? 'proven' : isTaken ? 'taken' : 'not proven')
  const isReread = state === 'done' && resource.read.kind !== 'snapshot' && !slice.onlyOpen && keys
  context.loader.end({
    resource,
    windowId,
    state,
    message: rows === 0 ? null : unprovenMessage(proof),
    accepted: state === 'accepted' ? { window: slice.window, rows } : undefined,
    reread: isReread ? { window: slice.window, ids: slice.ids, keys } : null,
  })
  const open = state === 'done' && slice.onlyOpen && keys ? { open: keys } : {}
  return { outcome: state, proof, answers: { former, last }, isAstray: astray > 0, ...open }
}

/** How long a cursor lives is not documented: a service that forgot the one of an interrupted run refuses it. */
function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'InvalidParameter'
}

/** A rejected record without a key has the id that was asked for, if that was the only one. */
function withAskedKey(rejected: Rejected, [only, ...others]: readonly string[] = []): Rejected {
  return rejected.key === null && only !== undefined && others.length === 0
    ? { ...rejected, key: only }
    : rejected
}

interface Reading {
  readonly proof: Counted
  /** All keys seen, when the slice was read from its beginning in this run and nothing was rejected. */
  readonly keys: ReadonlySet<string> | null
  readonly requestIds: string[]
}

async function readOnce(
  context: SliceContext,
  resource: Resource,
  slice: Slice,
  windowId: number,
): Promise<Reading> {
  const validate = createValidator(resource, context.accountId)
  const belongs = belongsTo(resource, slice)
  const keys = new Set<string>()
  const requestIds: string[] = []
  let [rejected, astray, foreign] = [0, 0, 0]
  let total: number | null = null
  let hasMoved = false
  for await (const page of pagesOf(context, resource, slice)) {
    const validated = validate(page.items, (page.serviceTime ?? context.now()) / 1_000)
    const { keys: pageKeys, ...records } = validated
    let strays = 0
    for (const [index, key] of pageKeys.entries()) {
      if (!belongs(records.accepted[index]!, key, page)) strays += 1
      // A first read needs its keys only as long as the total can prove it: a month of a large company has many.
      else if (!slice.isFirst || keys.size <= TOTAL_EXACT_BELOW) keys.add(key)
    }
    const others = records.rejected.filter(({ isForeign }) => isForeign).length
    requestIds.push(page.requestId)
    astray += strays
    foreign += others
    rejected += records.rejected.length - others
    // An answer with a record that does not fit, or was not asked for, settles none of its ids: the next run asks again.
    const isSettled = records.rejected.length === 0 && strays === 0
    if (total !== null && page.total !== total) hasMoved = true
    total = page.total
    await context.loader.add({
      resource,
      windowId,
      ...records,
      rejected: records.rejected.map((one) => withAskedKey(one, page.checked)),
      requestId: page.requestId,
      cursor: page.cursor,
      total: page.total,
      checked: isSettled ? (page.checked ?? []) : [],
      missing: isSettled ? (page.missing ?? []) : [],
    })
    context.onPage(resource)
  }
  const isFromBeginning = slice.cursor === null
  const isComplete = isFromBeginning && rejected + foreign === 0 && !slice.isFirst
  return {
    proof: {
      distinct: keys.size + rejected,
      astray,
      foreign,
      // The pages before the cursor are not counted here.
      total: isFromBeginning ? total : null,
      hasMoved,
    },
    keys: isComplete ? keys : null,
    requestIds,
  }
}

/** Whether a record belongs to what was asked for: it starts in the window, and has one of the ids. */
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
