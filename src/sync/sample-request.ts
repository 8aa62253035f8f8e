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
  /** Number of records that do not fit their schema. */
  readonly rejected: number
  /** The reason for the first rejected record. */
  readonly reason: string | null
}

/** Length of the window to request. It is very short, because the content of the answer does not matter. */
const LOOK_S = 60

/**
 * Sends a single request of a resource as a sync would, and stores nothing. Unlike in a sync, a refused id is an
 * error.
 * @param id an id known to the service, if there is one, for a resource that is read by id
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
