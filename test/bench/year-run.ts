import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../dist/client/client.js'
import { parseJson } from '../../dist/contract/json.js'
import { realEffects } from '../../dist/effects.js'
import { resources } from '../../dist/resources/index.js'
import { type Sandbox, startSandbox } from '../../dist/sandbox/start-sandbox.js'
import { sync } from '../../dist/sync/sync-accounts.js'
import { sideDoor } from '../support/side-door.ts'
import { differencesById, objects, type Record_, withConnection } from '../support/truth.ts'
import { createStaleness, type Staleness } from './staleness.ts'
import { type Copy, fullRefresh, lookbackOnly, type Strategy, startOf } from './strategies.ts'

const DAY = 86_400
const NOW = Date.UTC(2026, 0, 1) / 1_000
/** The made-up company's first day lies 196 days back. */
const SINCE = NOW - 200 * DAY
const LOOKBACK_DAYS = 31

/** What is simulated. */
export interface YearOptions {
  readonly nights: number
  readonly incidents: number
  readonly seed: number
  /** Share of the incidents that change months after they were closed. */
  readonly late: number
  /** Called after each night. */
  readonly onNight?: (night: number) => void
}

/** One strategy over all nights. */
export interface YearRow extends Staleness {
  readonly strategy: string
  /** Requests for incidents, from the second night on. */
  readonly requests: { readonly mean: number; readonly most: number; readonly total: number }
}

/** What the simulation came to. */
export interface YearResult {
  readonly rows: readonly YearRow[]
  readonly incidents: number
  /** Share of the incidents that changed, or vanished, more than 31 days after they began. */
  readonly lateShare: number
  /** Incidents that were closed, and open again more than 31 days after they began. */
  readonly reopenedLate: number
  /** Months of the grid that the sweep goes through at the end, one a night. */
  readonly slots: number
}

/** A company's nights: the clock moves by a day, every strategy has its turn, and what it holds is held against the service. */
export async function simulateYear(options: YearOptions): Promise<YearResult> {
  const { seed, incidents, late } = options
  const service = await startSandbox({ seed, incidents, late, now: NOW, limits: false })
  const folder = mkdtempSync(join(tmpdir(), 'faultline-year-'))
  const client = () =>
    createClient({ baseUrl: service.baseUrl, appKey: service.appKey, quota: Number.POSITIVE_INFINITY })
  const ours = inWarehouse(client(), join(folder, 'year.duckdb'))
  const contenders = [
    { name: 'faultline', ...ours, ...followed() },
    { name: 'full refresh', ...inMemory(client(), fullRefresh), ...followed() },
    { name: 'lookback of 31 days', ...inMemory(client(), lookbackOnly), ...followed() },
  ]
  const world = createHistory()
  try {
    for (let night = 1; night <= options.nights; night++) {
      if (night > 1) await advance(service, DAY)
      const now = service.now()
      const truth = await readLines(service)
      world.night(truth, now)
      for (const one of contenders) {
        const before = one.client.stats().requests
        const stale = await one.night(truth, now)
        one.requests.push(one.client.stats().requests - before)
        one.staleness.night(new Map([...stale].map((id) => [id, world.recordOf(id)])), now)
      }
      options.onNight?.(night)
    }
    return {
      rows: contenders.map(({ name, requests, staleness }) => ({
        strategy: name,
        requests: summed(requests.slice(1)),
        ...staleness.report(),
      })),
      ...world.report(),
      slots: Math.ceil((service.now() - LOOKBACK_DAYS * DAY - SINCE) / (31 * DAY)),
    }
  } finally {
    for (const one of contenders) await one.client.close()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const followed = () => ({ requests: [] as number[], staleness: createStaleness(LOOKBACK_DAYS * DAY) })

/** Our own sync, each night a whole run into the same warehouse; stale is what differs in any field of any row. */
function inWarehouse(client: Client, path: string) {
  const windowed = resources.filter((resource) => resource.read.kind === 'windows')
  /** The pairs of a service's record and a stored row that were compared in full, and found to be the same or not. */
  const compared = new Map<string, { pair: string; isStale: boolean }>()
  return {
    client,
    async night(truth: Copy, now: number): Promise<Set<string>> {
      const result = await sync({
        client,
        path,
        resources: windowed,
        known: resources,
        effects: realEffects(),
        concurrency: 8,
        version: 'bench',
        signal: new AbortController().signal,
        scope: () => ({
          now,
          since: SINCE,
          lookbackDays: LOOKBACK_DAYS,
          windowSeconds: 31 * DAY - 1,
          full: false,
        }),
      })
      if (result.status !== 'ok')
        throw new Error(`the sync ended ${result.status}: ${JSON.stringify(result)}`)
      const stored = new Map(
        (await withConnection(path, (connection) => objects(connection, STORED))).map(
          (row) => [row.incident_id as string, String(row.fingerprint)] as const,
        ),
      )
      const fresh = [...new Set([...truth.keys(), ...stored.keys(), ...compared.keys()])]
        .map((id) => ({ id, pair: `${stored.get(id)} ${truth.get(id)}` }))
        .filter(({ id, pair }) => compared.get(id)?.pair !== pair)
      const ids = new Set(fresh.map(({ id }) => id))
      const records = [...ids].flatMap((id) => (truth.has(id) ? [parseJson(truth.get(id)!) as Record_] : []))
      const differing = await differencesById(records, path, ids)
      for (const { id, pair } of fresh) compared.set(id, { pair, isStale: differing.has(id) })
      return new Set([...compared].flatMap(([id, { isStale }]) => (isStale ? [id] : [])))
    },
  }
}

/** Rows with what changes whenever they are written; those that have vanished count as not there. */
const STORED = `select incident_id, _hash::varchar || ' ' || _seen_at::varchar as fingerprint
  from incidents where vanished_at is null`

function inMemory(client: Client, strategy: Strategy) {
  let copy: Copy = new Map()
  return {
    client,
    async night(truth: Copy, now: number): Promise<Set<string>> {
      copy = await strategy(client, copy, SINCE, now)
      const ids = new Set([...truth.keys(), ...copy.keys()])
      return new Set([...ids].filter((id) => truth.get(id) !== copy.get(id)))
    },
  }
}

/** What the service's incidents went through, as seen once a night. */
function createHistory() {
  const last: Copy = new Map()
  const late = new Set<string>()
  const reopened = new Set<string>()
  let listed = new Set<string>()
  const isClosed = (record: string) => /"progress":"Closed"/.test(record)
  return {
    night(truth: Copy, now: number) {
      for (const [id, record] of truth) {
        const before = last.get(id)
        last.set(id, record)
        if (before === undefined || before === record || startOf(record) >= now - LOOKBACK_DAYS * DAY)
          continue
        late.add(id)
        if (isClosed(before) && !isClosed(record)) reopened.add(id)
      }
      for (const id of listed)
        if (!truth.has(id) && startOf(last.get(id)!) < now - LOOKBACK_DAYS * DAY) late.add(id)
      listed = new Set(truth.keys())
    },
    recordOf: (id: string) => last.get(id)!,
    report: () => ({
      incidents: last.size,
      lateShare: late.size / last.size,
      reopenedLate: reopened.size,
    }),
  }
}

function summed(requests: readonly number[]) {
  const total = requests.reduce((sum, one) => sum + one, 0)
  return { mean: total / Math.max(1, requests.length), most: Math.max(0, ...requests), total }
}

async function readLines(service: Sandbox): Promise<Copy> {
  const text = await (await sideDoor(service.baseUrl, 'truth')).text()
  // Each line as a text of its own: a part of the whole would keep the whole of each night in memory.
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [Buffer.from(line).toString()]))
  return new Map(lines.map((line) => [/"incident_id":"([0-9a-f]+)"/.exec(line)![1]!, line]))
}

async function advance(service: Sandbox, seconds: number): Promise<void> {
  const body = JSON.stringify({ advance_s: seconds })
  await sideDoor(service.baseUrl, 'clock', body)
}
