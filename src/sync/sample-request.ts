import type { Client } from '../client/client.ts'
import { ServiceError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Page } from './page.ts'
import { readIds } from './read-ids.ts'
import type { Slice, SyncScope } from './slice.ts'
import { pagesOf } from './strategies.ts'
import { createValidator } from './validate-records.ts'

interface Sample {
  readonly records: number
  /** How many of them do not fit their schema. */
  readonly rejected: number
  /** What is wrong with the first that does not fit. */
  readonly reason: string | null
}

/** Seconds of incidents asked for: hardly any, since only the answer's coming counts. */
const LOOK_S = 60

/**
 * Reads a resource as a sync does, but one request only, and stores nothing. A refused id is an error here.
 * @param id for a resource that is read by id: one that the service knows, else any
 * @throws what the client throws, and ContractError when the answer has another shape
 */
export async function sample(
  client: Client,
  resource: Resource,
  { now, id, signal }: { now: number; id: string; signal: AbortSignal },
): Promise<Sample> {
  const scope: SyncScope = {
    now,
    since: now - LOOK_S,
    lookbackDays: 0,
    windowSeconds: LOOK_S,
    full: false,
  }
  const slice: Slice = {
    resource: resource.table,
    reason: 'refresh',
    window: { start: scope.since, end: now },
    ids: null,
    cursor: null,
    requests: 1,
  }
  const pages =
    resource.read.kind === 'ids'
      ? oneById(client, resource, id, signal)
      : pagesOf({ client, scope, signal }, resource, slice)
  for await (const { items, serviceTime } of pages) {
    const { rejected } = createValidator(resource)(items, serviceTime === null ? now : serviceTime / 1_000)
    const [first] = rejected
    return {
      records: items.length,
      rejected: rejected.length,
      reason: first ? `${first.path}: ${first.reason}` : null,
    }
  }
  return { records: 0, rejected: 0, reason: null }
}

/** The page of one id; without records if the service does not have it. */
async function* oneById(
  client: Client,
  resource: Resource,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const { read } = resource
  if (read.kind !== 'ids') return
  try {
    yield await readIds(client, resource, read, [id], signal)
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'ResourceNotFound')) throw error
  }
}
