import type { Client } from '../../src/client/client.ts'
import { parseJson, stringifyJson } from '../../src/contract/json.ts'
import { ServiceError } from '../../src/errors.ts'

type Fields = Record<string, unknown>

/** Start of the made-up incidents, Unix seconds. */
export const epoch = 1_700_000_000
export const DAY = 86_400

/** A made-up incident. By default number `index` begins that many hours after `epoch`. */
export function incident(index: number, more: Fields = {}): Fields {
  const start = Number(more.start_time ?? epoch + index * 3_600)
  return {
    incident_id: index.toString(16).padStart(24, '0'),
    account_id: 1,
    channel_id: 0,
    start_time: start,
    end_time: start + 60,
    ack_time: start + 10,
    close_time: start + 60,
    created_at: start,
    updated_at: start + 60,
    progress: 'Closed',
    incident_severity: 'Warning',
    incident_status: 'Ok',
    title: `incident ${index}`,
    responders: [{ person_id: 5, assigned_at: start, acknowledged_at: start + 10 }],
    ...more,
  }
}

/** A made-up channel. */
export function channel(channel_id: number | bigint, team_id: number | bigint = channel_id): Fields {
  return { channel_id, channel_name: `c${channel_id}`, status: 'enabled', team_id }
}

/** A made-up member. */
export function member(member_id: number, more: Fields = {}): Fields {
  const times = { created_at: member_id, updated_at: member_id }
  const role = { status: 'enabled', account_role_ids: [2] }
  return { account_id: 1, member_id, member_name: `m${member_id}`, ...role, ...times, ...more }
}

/** A made-up service with its records, and the requests that it received. Tests change the records between runs. */
export interface FakeService {
  incidents: Fields[]
  channels: Map<string, Fields>
  teams: Fields[]
  members: Fields[]
  folders: Fields[]
  /** Whether this service includes the start and the end of a window. */
  edges: { start: boolean; end: boolean }
  readonly calls: { readonly name: string; readonly input: Fields }[]
  /** Adds channels, by default each with a team of the same id. */
  addChannels(ids: readonly (number | bigint)[], teamOf?: (id: number | bigint) => number | bigint): void
  /** Called before every response. May throw, wait, or return its own `data`. */
  before: (name: string, input: Fields, signal: AbortSignal | undefined) => unknown
  readonly client: Client
}

/**
 * A client for the sync that returns records from lists. As in the service, windows include both ends, and totals are
 * at most 1,000. Responses are converted to text and back, so that their values have the same types as real responses.
 */
export function fakeService(): FakeService {
  const service: FakeService = {
    incidents: [],
    channels: new Map(),
    teams: [],
    members: [],
    folders: [],
    edges: { start: true, end: true },
    calls: [],
    addChannels(ids, teamOf = (id) => id) {
      for (const id of ids) service.channels.set(String(id), channel(id, teamOf(id)))
    },
    before: () => undefined,
    client: {
      async read(name, input, options) {
        options?.signal?.throwIfAborted()
        const requestId = `r-${service.calls.push({ name, input: input as Fields })}`
        const own = await service.before(name, input as Fields, options?.signal)
        options?.signal?.throwIfAborted()
        const data = own ?? answer(service, name, input as Fields, requestId)
        return { data: parseJson(stringifyJson(data)), requestId, bytes: 0, serviceTime: null }
      },
      call: () => Promise.reject(new Error('the sync reads, it does not call')),
      stats: () => ({ requests: service.calls.length, throttled: 0, retries: 0, bytes: 0, byOperation: {} }),
      close: async () => {},
    },
  }
  return service
}

function answer(service: FakeService, name: string, input: Fields, requestId: string): unknown {
  const answers: Record<string, () => unknown> = {
    'incident/list': () => list(service, input),
    'channel/info': () =>
      service.channels.get(String(input.channel_id)) ?? refused(name, 'ResourceNotFound', requestId),
    'team/infos': () => {
      const wanted = new Set((input.team_ids as unknown[]).map(String))
      return { items: service.teams.filter((team) => wanted.has(String(team.team_id))) }
    },
    'member/list': () => {
      const [p, limit] = [Number(input.p), Number(input.limit)]
      const items = service.members.slice((p - 1) * limit, p * limit)
      return { p, limit, total: service.members.length, items }
    },
    'monit/rule/status': () => service.folders,
    'incident/post-mortem/info': () => refused(name, 'ResourceNotFound', requestId),
  }
  // Resources that a test defines have no records.
  return answers[name]?.() ?? { items: [], total: 0, has_next_page: false }
}

function list({ incidents, edges }: FakeService, input: Fields): Fields {
  const ids = input.incident_ids as string[] | undefined
  const progress = (input.progress as string | undefined)?.split(',')
  const found = incidents
    .filter(
      (one) =>
        Number(one.start_time) >= Number(input.start_time) + (edges.start ? 0 : 1) &&
        Number(one.start_time) <= Number(input.end_time) - (edges.end ? 0 : 1),
    )
    .filter((one) => ids === undefined || ids.includes(one.incident_id as string))
    .filter((one) => progress === undefined || progress.includes(one.progress as string))
    .sort((a, b) => Number(a.start_time) - Number(b.start_time))
  const from = Number(input.search_after_ctx ?? 0)
  const to = from + Number(input.limit)
  const more = to < found.length
  return {
    items: found.slice(from, to),
    total: Math.min(found.length, 1_000),
    has_next_page: more,
    ...(more ? { search_after_ctx: String(to) } : {}),
  }
}

/** Throws an error like those of the client. */
export function refused(operation: string, code: string, requestId = 'r-0', next = 'Look at it.'): never {
  throw new ServiceError(`${operation}: ${code} (request ${requestId})`, {
    operation,
    code,
    status: 400,
    requestId,
    next,
  })
}
