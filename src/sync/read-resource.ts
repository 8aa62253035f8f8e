import pLimit from 'p-limit'
import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import { FaultlineError, ServiceError, WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { writeError } from '../warehouse/file/write-error.ts'
import type { SliceEnd } from './batch.ts'
import { openSlices } from './ledger.ts'
import type { Loader } from './loader.ts'
import type { Slice } from './slice.ts'
import type { SliceRun } from './slice-runs.ts'
import { pagesOf, planResource } from './strategies.ts'
import type { PlanContext, ReadContext } from './strategy.ts'
import { createValidator, type Rejected } from './validate.ts'
import { outageWarning } from './vanished.ts'

/** What the resources of one run share. */
interface ResourceRun extends ReadContext {
  readonly runId: number
  readonly plan: PlanContext
  readonly loader: Loader
  /** The service's clock, milliseconds, as far as it is known without asking. */
  readonly now: () => number
  /** Slices read at once. */
  readonly concurrency: number
  /** Aborts the run, with the reason. */
  readonly stop: (reason: unknown) => void
  readonly onPage: (resource: Resource) => void
}

/**
 * Plans a resource, records its slices, adds them to `slices`, and reads them side by side. What the service answered
 * wrongly fails its slice only.
 * @throws what ends the run: nothing more can be stored, an abort, or a bug
 */
export async function readResource(run: ResourceRun, resource: Resource, slices: SliceRun[]): Promise<void> {
  const planned = await planResource(run.plan, resource)
  const now = new Date(run.scope.now * 1_000)
  const open = { ...run.plan, runId: run.runId }
  const ids = await openSlices(run.plan.db, open, slices.length, planned, now).catch((cause) => {
    throw writeError(`Recording the windows of ${resource.table}`, cause)
  })
  const own = planned.map((slice): SliceRun => ({ resource, slice, outcome: null }))
  slices.push(...own)
  const limit = pLimit(run.concurrency)
  await Promise.all(own.map((one, index) => limit(() => runSlice(run, one, ids[index]!))))
  await run.loader.drain()
  run.signal.throwIfAborted()
  const outage = await run.loader.settle(resource)
  if (outage === null) return
  for (const [index, one] of own.entries()) {
    if (!outage.windows.has(ids[index]!)) continue
    one.outcome = 'unproven'
    one.warning = outageWarning(resource, outage, run.scope)
  }
}

/** Never rejects: what ends the run aborts its signal, so that the other readers end before the run goes on. */
async function runSlice(run: ResourceRun, one: SliceRun, windowId: number): Promise<void> {
  try {
    run.signal.throwIfAborted()
    one.outcome = await readSlice(run, one, windowId)
  } catch (error) {
    if (run.signal.aborted) return
    if (error instanceof WarehouseError || !(error instanceof FaultlineError)) run.stop(error)
    else one.outcome = error
  }
  run.onPage(one.resource)
}

/**
 * Reads one slice to its end and hands every page to the loader. Below the number where the service's total is
 * exact, the distinct records must equal it; a slice that does not match is read once more, then left unproven. A cursor
 * that is refused is dropped.
 */
async function readSlice(
  run: ResourceRun,
  { resource, slice }: SliceRun,
  windowId: number,
): Promise<SliceEnd['state']> {
  const read = (cursor: string | null) => readOnce(run, resource, { ...slice, cursor }, windowId)
  let proof = await read(slice.cursor).catch((error: unknown) => {
    if (slice.cursor === null || !isRefused(error)) throw error
    return read(null)
  })
  if (!proof.complete) proof = await read(null)
  const { complete, distinct, total, keys } = proof
  const state = complete ? 'done' : 'unproven'
  const message = complete ? null : `read ${distinct} records, the service says ${total}`
  const isReread = complete && resource.read.kind !== 'snapshot' && !slice.onlyOpen && keys
  const reread = isReread ? { window: slice.window, ids: slice.ids, keys } : null
  run.loader.end({ resource, windowId, state, message, reread })
  return state
}

/** How long a cursor lives is not documented: a service that forgot the one of an interrupted run refuses it. */
function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'InvalidParameter'
}

interface Proof {
  readonly complete: boolean
  readonly distinct: number
  readonly total: number | null
  /** All keys seen, when the slice was read from its beginning in this run. */
  readonly keys: ReadonlySet<string> | null
}

/** A rejected record without a key has the id that was asked for, if that was the only one. */
function withAskedKey(rejected: Rejected, [only, ...others]: readonly string[] = []): Rejected {
  return rejected.key === null && only !== undefined && others.length === 0
    ? { ...rejected, key: only }
    : rejected
}

async function readOnce(
  run: ResourceRun,
  resource: Resource,
  slice: Slice,
  windowId: number,
): Promise<Proof> {
  const validate = createValidator(resource)
  const keys = new Set<string>()
  let rejected = 0
  let total: number | null = null
  for await (const page of pagesOf(run, resource, slice)) {
    const { keys: pageKeys, ...validated } = validate(page.items, (page.serviceTime ?? run.now()) / 1_000)
    // A first read needs its keys only as long as the total can prove it: a month of a large company has many.
    for (const key of pageKeys) if (!slice.isFirst || keys.size <= TOTAL_EXACT_BELOW) keys.add(key)
    rejected += validated.rejected.length
    // An answer with a record that does not fit settles none of its ids: the next run asks for them again.
    const isSettled = validated.rejected.length === 0
    total = page.total
    await run.loader.add({
      resource,
      windowId,
      ...validated,
      rejected: validated.rejected.map((one) => withAskedKey(one, page.checked)),
      requestId: page.requestId,
      cursor: page.cursor,
      total: page.total,
      checked: isSettled ? (page.checked ?? []) : [],
      missing: isSettled ? (page.missing ?? []) : [],
    })
    run.onPage(resource)
  }
  const distinct = keys.size + rejected
  const isFromBeginning = slice.cursor === null
  const provable = isFromBeginning && total !== null && total < TOTAL_EXACT_BELOW
  return {
    complete: !provable || distinct === total,
    distinct,
    total,
    keys: isFromBeginning && rejected === 0 && !slice.isFirst ? keys : null,
  }
}
