import { ContractError, NetworkError, ServiceError } from '../../src/errors.ts'
import { incidents } from '../../src/resources/incidents.ts'
import type { Page, ReadContext } from '../../src/sync/page.ts'
import { readWindowPages } from '../../src/sync/read-windows.ts'
import type { Slice } from '../../src/sync/slice.ts'
import { DAY, epoch, fakeService, incident } from '../support/service.ts'

export type Fields = Record<string, unknown>

export const operation = 'incident/list'
export const tooLarge = (message = 'larger than 16 MB') =>
  new ContractError(`${operation}: ${message}`, {
    ...{ operation, next: 'Ask for less.', smallerMayWork: true },
    issues: [{ path: '', message }],
  })
export const timeout = () => new NetworkError(`${operation}: no complete answer`, { smallerMayWork: true })
export const refusedCursor = () =>
  new ServiceError(`${operation}: InvalidParameter`, {
    ...{ operation, code: 'InvalidParameter', status: 400, requestId: 'r', next: 'Look.' },
  })

/** Returns a hostile response in place of a page of incidents, or undefined for the correct page. */
export type Hostile = (
  page: { items: Fields[]; total: number; has_next_page: boolean },
  input: Fields,
) => unknown

const window = { start: epoch, end: epoch + 30 * DAY }
const slice: Slice = {
  resource: 'incidents',
  reason: 'backfill',
  window,
  ids: null,
  cursor: null,
  requests: 1,
}

/** Reads a window of incidents from a service with hostile responses. */
export async function readWindow(all: readonly Fields[], hostile: Hostile, more: Partial<Slice> = {}) {
  const own = fakeService()
  own.incidents = [...all]
  const service = fakeService()
  service.before = async (name, input, signal) => {
    const { data } = await own.client.read(name as never, input as never, signal ? { signal } : {})
    return (await hostile(data as never, input)) ?? data
  }
  const context = { client: service.client, signal: new AbortController().signal } as ReadContext
  const pages: Page[] = []
  let failure: unknown
  try {
    for await (const page of readWindowPages(context, incidents, incidents.read, { ...slice, ...more }))
      pages.push(page)
  } catch (error) {
    failure = error
  }
  const ids = pages.flatMap(({ items }) => items.map((item) => (item as Fields).incident_id as string))
  return {
    failure,
    pages,
    ids: [...new Set(ids)].sort(),
    refused: pages.flatMap(({ refused = [] }) => refused),
    requests: service.calls.map(({ input }) => input),
  }
}

export const idsOf = (all: readonly Fields[]) => all.map(({ incident_id }) => incident_id as string).sort()
export const many = (count: number, seconds = 600) =>
  Array.from({ length: count }, (_, index) => incident(index, { start_time: epoch + 10 + index * seconds }))
