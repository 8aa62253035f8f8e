import pLimit from 'p-limit'
import { FaultlineError, WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { writeError } from '../warehouse/database-errors.ts'
import { keyOf } from '../warehouse/load/record-row.ts'
import { type Accepted, isAcceptedIncomplete, isAcceptedUnread } from './completeness.ts'
import { isLast, searchSlices, skipFetchedIds } from './id-slices.ts'
import { acceptedWindows, openSlices, recordAccepted } from './ledger.ts'
import type { Loader } from './loader.ts'
import { outageWarning } from './missing-records.ts'
import { sharedIdReader } from './read-ids.ts'
import { readSlice, type SliceContext } from './read-slice.ts'
import type { Slice, Window } from './slice.ts'
import { cutShort, DOUBTS, noteRepeated, type SliceRun, unprovenWarning } from './slice-runs.ts'
import { earliestStart, type PlanContext } from './state.ts'
import { planResource } from './strategies.ts'
import { after } from './window-state.ts'

export interface ResourceRun extends Omit<SliceContext, 'accepted'> {
  readonly runId: number
  readonly plan: PlanContext
  readonly loader: Loader
  readonly concurrency: number
  readonly stop: (reason: unknown) => void
  readonly slices: SliceRun[]
}

/** Plans and reads a resource, then marks missing records. @throws for a failed write, an aborted run, or a bug */
export async function readResource(run: ResourceRun, resource: Resource): Promise<void> {
  const accepted = await acceptedWindows(run.plan, resource)
  const planned = await planResource(run.plan, resource)
  const context = { ...run, accepted, idReader: sharedIdReader(run, resource) }
  const early = planned.filter((slice) => !isLast(slice))
  const most = await readSlices(context, resource, early)
  const brought = new Set(most.flatMap(({ open }) => [...(open ?? [])]))
  const last = await readSlices(context, resource, skipFetchedIds(planned.filter(isLast), brought))
  const own = [...most, ...last]
  await acceptUnread(run, accepted, own)
  await doubt(run, accepted, own)
  // A service that returns wrong records or totals might also omit records, so none is then marked as missing.
  const isDoubted = own.some(
    ({ isAstray, outcome }) => outcome === 'unproven' || (isAstray && outcome !== 'accepted'),
  )
  const isUnsure = isDoubted && !run.scope.acceptVanished
  const { outage, unproven } = await run.loader.markVanished(resource, async (keys) =>
    isUnsure ? null : searchFor(context, resource, keys),
  )
  for (const one of own) {
    if (!unproven.has(one.windowId)) continue
    one.outcome = 'unproven'
    if (outage) one.warning = outageWarning(resource, outage, run.scope)
  }
  const all = run.slices.filter((one) => one.resource === resource)
  const warning = unprovenWarning(resource, all)
  if (warning) own[0]!.doubt = warning
}

async function readSlices(run: ResourceRun & SliceContext, resource: Resource, planned: readonly Slice[]) {
  const open = { ...run.plan, runId: run.runId }
  const now = new Date(run.scope.now * 1_000)
  const ids = await openSlices(run.plan.db, open, run.slices.length, planned, now).catch((cause) => {
    throw writeError(`Recording the windows of ${resource.table}`, cause)
  })
  const own = planned.map(
    (slice, index): SliceRun => ({ resource, slice, windowId: ids[index]!, outcome: null }),
  )
  run.slices.push(...own)
  const limit = pLimit(run.concurrency)
  await Promise.all(own.map((one) => limit(() => runSlice(run, one))))
  await run.loader.drain()
  run.signal.throwIfAborted()
  return own
}

/** Reads one slice. Never rejects: an error that must end the run stops the other readers. */
async function runSlice(run: ResourceRun & SliceContext, one: SliceRun): Promise<void> {
  try {
    run.signal.throwIfAborted()
    Object.assign(one, await readSlice(run, one))
  } catch (error) {
    if (run.signal.aborted) return
    if (error instanceof WarehouseError || !(error instanceof FaultlineError)) run.stop(error)
    else one.outcome = error
  }
  run.onPage(one.resource)
}

async function acceptUnread(
  { plan, runId, accountId, scope }: ResourceRun,
  accepted: readonly Accepted[],
  own: readonly SliceRun[],
): Promise<void> {
  const failed = own.filter(({ outcome, slice }) => outcome instanceof FaultlineError && slice.window)
  const news: { resource: Resource; window: Window; rows: null }[] = []
  for (const one of failed) {
    const window = one.slice.window!
    one.isAcceptedUnread = isAcceptedUnread(accepted, window)
    if (one.isAcceptedUnread || !scope.acceptUnproven) continue
    one.isAcceptedUnread = true
    news.push({ resource: one.resource, window, rows: null })
  }
  await recordAccepted(plan.db, news, { accountId, runId }).catch((cause) => {
    throw writeError('Recording windows that could not be read', cause)
  })
}

/** Marks windows as unverified if another request got the same response, or if they were probably truncated. */
async function doubt(run: ResourceRun, accepted: readonly Accepted[], own: readonly SliceRun[]) {
  const { acceptUnproven = false } = run.scope
  const repeated = noteRepeated(run.slices)
  const short = cutShort(own)
  const doubtful = own.filter(
    (one) => one.outcome === 'done' && (short.includes(one) || repeated.includes(one)),
  )
  const ends = doubtful.map((one) => {
    const { resource, windowId, slice } = one
    const isTaken = acceptUnproven || isAcceptedIncomplete(accepted, slice.window, 1)
    const state = after('done', isTaken ? 'doubtful, taken' : 'doubtful')
    const isCut = short.includes(one)
    Object.assign(one, { outcome: state, isCut })
    const taken = isTaken ? { window: slice.window, rows: 1 } : undefined
    const message = isCut ? DOUBTS.cut : DOUBTS.repeated
    return { resource, windowId, state, message, reread: null, accepted: taken }
  })
  await run.loader.doubt(ends)
}

/**
 * Requests missing records by id over the entire history, because a corrected start puts a record in another window.
 * @returns the keys of records that are not missing, or null if that is unknown
 */
async function searchFor(run: ResourceRun & SliceContext, resource: Resource, keys: readonly string[]) {
  if (resource.read.kind !== 'windows') return new Set<string>()
  const start = Math.min(run.scope.since, await earliestStart(run.plan, resource, resource.read))
  const planned = searchSlices(resource, keys, { start, end: run.scope.now })
  const wanted = new Set(planned.flatMap(({ ids }) => ids ?? []))
  // Ids beyond the request limit count as found, unless a person accepted that records are missing.
  const found = new Set(run.scope.acceptVanished ? [] : keys.filter((one) => !wanted.has(one)))
  const key = keyOf(resource)
  let isSure = true
  const add: Loader['add'] = (page) => {
    for (const record of page.accepted) found.add(key(record))
    if (page.rejected.length > 0) isSure = false
    return run.loader.add(page)
  }
  const asked = await readSlices({ ...run, loader: { ...run.loader, add } }, resource, planned)
  const repeated = noteRepeated(run.slices)
  const isBelieved = (one: SliceRun) =>
    one.outcome === 'accepted' || (one.outcome === 'done' && !repeated.includes(one))
  return isSure && asked.every(isBelieved) ? found : null
}
