import pLimit from 'p-limit'
import { FaultlineError, WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { createPageReader, type PageReader } from '../warehouse/stage/bytes/read-page.ts'
import { writeError } from '../warehouse/write-error.ts'
import { openSlices } from './ledger.ts'
import type { Loader } from './loader.ts'
import type { Part } from './parts.ts'
import { readSlice } from './read-slice.ts'
import { planResource } from './strategies.ts'
import type { PlanContext, ReadContext } from './strategy.ts'

/** What the resources of one run share. */
export interface ResourceRun extends ReadContext {
  readonly runId: number
  readonly plan: PlanContext
  readonly loader: Loader
  /** Slices read at once. */
  readonly concurrency: number
  /** Ends the reading of everybody, with the reason. */
  readonly stop: (reason: unknown) => void
  readonly onPage: (resource: Resource) => void
}

/**
 * Plans a resource, writes its slices down, adds them to `parts`, and reads them side by side. What the service
 * answered wrongly fails its part only.
 * @throws what ends the whole run: nothing more can be stored, somebody asked to stop, or a mistake of our own
 */
export async function readResource(run: ResourceRun, resource: Resource, parts: Part[]): Promise<void> {
  const slices = await planResource(run.plan, resource)
  const now = new Date(run.scope.now * 1_000)
  const windows = await openSlices(run.plan.db, run.runId, parts.length, slices, now).catch((cause) => {
    throw writeError(`Noting the windows of ${resource.table}`, cause)
  })
  const own = slices.map((slice): Part => ({ resource, slice, outcome: null }))
  parts.push(...own)
  const limit = pLimit(run.concurrency)
  const take = createPageReader(resource)
  await Promise.all(own.map((part, index) => limit(() => readPart(run, part, windows[index]!, take))))
  await run.loader.drain()
  run.signal.throwIfAborted()
}

/** Never rejects: what ends the run aborts its signal, so that the other readers end before the run goes on. */
async function readPart(
  run: ResourceRun,
  part: Part,
  window: number,
  take: PageReader | undefined,
): Promise<void> {
  try {
    run.signal.throwIfAborted()
    const { resource, slice } = part
    const onPage = () => run.onPage(resource)
    const ending = await readSlice({
      context: run,
      loader: run.loader,
      resource,
      slice,
      window,
      take,
      onPage,
    })
    part.outcome = ending.state
  } catch (error) {
    if (run.signal.aborted) return
    if (error instanceof WarehouseError || !(error instanceof FaultlineError)) run.stop(error)
    else part.outcome = error
  }
  run.onPage(part.resource)
}
