import type { Client } from '../client/client.ts'
import { ServiceError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Page } from './page.ts'
import { readIds } from './read-ids.ts'
import type { Slice, SyncScope } from './slice.ts'
import { pagesOf, wholeSlice } from './strategies.ts'
import { createValidator } from './validate-records.ts'

/** Length of the requested window in seconds. It is short, because the content of the response does not matter. */
const LOOK_S = 60

/** Sends one request as a sync would, but stores nothing, and throws if the id is refused. */
export async function sample(
  client: Client,
  resource: Resource,
  { now, id, signal }: { now: number; id: string; signal: AbortSignal },
) {
  const window = { start: now - LOOK_S, end: now }
  const scope: SyncScope = { now, since: window.start, lookbackDays: 0, windowSeconds: LOOK_S, full: false }
  const slice: Slice = { ...wholeSlice(resource), window }
  const { read } = resource
  const pages =
    read.kind === 'ids'
      ? unlessMissing(readIds(client, resource, read, [id], signal))
      : pagesOf({ client, scope, signal }, resource, slice)
  for await (const { items, serviceTime } of pages) {
    const { rejected } = createValidator(resource)(items, serviceTime === null ? now : serviceTime / 1_000)
    const [first] = rejected
    const reason = first ? `${first.path}: ${first.reason}` : null
    return { records: items.length, rejected: rejected.length, reason }
  }
  return { records: 0, rejected: 0, reason: null }
}

/** Yields the page, or nothing if the service does not have the requested record. */
async function* unlessMissing(answer: Promise<Page>): AsyncGenerator<Page> {
  try {
    yield await answer
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'ResourceNotFound')) throw error
  }
}
