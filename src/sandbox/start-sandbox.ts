import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { Incident } from '../contract/incident.ts'
import { parseJson } from '../contract/json.ts'
import { ConfigError } from '../errors.ts'
import { type Clock, sandboxClock } from './clock.ts'
import { meanwhile, withEdits } from './concurrent-edits.ts'
import { createControl, isTime, setClock, truthOf } from './control-endpoints.ts'
import { FaultInjector, type Faults } from './faults.ts'
import { importWorld } from './import-world.ts'
import {
  type Journal,
  type JournalEntry,
  type JournalHeader,
  memoryJournal,
  type OpenedJournal,
  openJournal,
} from './journal.ts'
import { type AppKey, issueKeys } from './keys.ts'
import { fixedLimiter, slidingLimiter } from './request-limiter.ts'
import { Stats, type StatsReport } from './request-stats.ts'
import { checkFaults, checkSandboxOptions, incidentsOf, type SandboxOptions } from './sandbox-options.ts'
import { createHttpServer } from './server.ts'
import { createService, type Service } from './service.ts'
import type { World } from './store/world.ts'
import { buildWorld } from './world/build-world.ts'

export type { SandboxOptions }

export interface Sandbox {
  readonly baseUrl: string
  readonly appKey: string
  readonly appKeys: readonly AppKey[]
  readonly port: number
  /** Unix seconds by the sandbox's clock. */
  now(): number
  /** Requests by operation and status, and the peaks in any second and minute. */
  stats(): StatsReport
  /** Moves the clock forward or back and returns the new time. @throws ConfigError if it is not within 1970 to 2106 */
  advance(seconds: number): number
  /** Replaces all faults. `{}` injects none. @throws ConfigError that names the invalid fault */
  setFaults(faults: Partial<Faults>): void
  /** Returns every incident as `incident/list` returns it now, for comparison with a copy. */
  truth(): Incident[]
  audit(): readonly JournalEntry[]
  close(): Promise<void>
}

const silent = () => {}

/** Starts a sandbox. @param own creates the data to serve @throws ConfigError if the data or the state is unusable */
export async function startSandbox(
  options: SandboxOptions = {},
  own?: (clock: Clock) => World,
): Promise<Sandbox> {
  checkSandboxOptions(options)
  const { seed = 1, host = '127.0.0.1' } = options
  const faults = new FaultInjector(seed, checkFaults(options.faults))
  const opened = openState(options, seed)
  const anchor = opened?.header.now ?? options.now ?? Math.floor(Date.now() / 1_000)
  const clock = sandboxClock(anchor, options.clockRuns ? () => Date.now() / 1_000 : undefined)
  const built = own?.(clock) ?? worldOf(options, seed, anchor, clock)
  const edits = new Map<number, number>()
  const world = { ...built, incidents: withEdits(built.incidents, edits) }
  const appKeys = issueKeys(seed, [...world.account.callers.keys()], options.appKey)
  const journal = opened?.journal ?? memoryJournal()
  const service = createService(world, clock, seed, journal)
  replay(opened, service, clock, options)
  const stats = new Stats()
  const server = createHttpServer({
    world,
    now: () => clock.now(),
    service,
    keys: new Map(appKeys.map((one) => [one.key, one])),
    limiter:
      options.limits === false ? undefined : options.limiter === 'fixed' ? fixedLimiter() : slidingLimiter(),
    retryAfter: options.retryAfter ?? true,
    latencyMs: options.latencyMs ?? 0,
    faults,
    meanwhile: meanwhile(world, faults, edits, clock.now),
    stats,
    warn: options.warn ?? silent,
    control: createControl({ world, clock, journal, stats, faults, keys: appKeys }),
  })
  const port = await listen(server, options.port ?? 0, host)
  let closing: Promise<void> | undefined
  return {
    baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    appKey: appKeys[0]!.key,
    appKeys,
    port,
    now: clock.now,
    stats: () => stats.report(),
    advance: (seconds) => advance({ clock, journal }, seconds),
    setFaults(wanted) {
      faults.current = checkFaults(wanted)
    },
    truth: () => Array.from(truthOf(world), (line) => parseJson(line) as Incident),
    audit: () => journal.entries,
    close() {
      closing ??= stop(server).then(() => journal.close())
      return closing
    },
  }
}

function worldOf(options: SandboxOptions, seed: number, anchor: number, clock: Clock): World {
  if (options.dataDir !== undefined) return importWorld(options.dataDir)
  const { late = 0, world, accountId } = options
  return buildWorld({ seed, incidents: incidentsOf(options), anchor, late, world, accountId }, clock)
}

/**
 * Applies all writes of the journal. A running clock then continues at the real time, unless `now` or the journal sets
 * it.
 */
function replay(
  opened: OpenedJournal | undefined,
  service: Service,
  clock: Clock,
  { now, clockRuns }: SandboxOptions,
): void {
  for (const line of opened?.lines ?? []) {
    if ('clock' in line) clock.set(line.clock)
    else service.replay(line)
  }
  const wasSet = now !== undefined || opened?.lines.some((line) => 'clock' in line)
  if (clockRuns && !wasSet) clock.set(Math.floor(Date.now() / 1_000))
}

function advance(parts: { clock: Clock; journal: Journal }, seconds: number): number {
  const now = parts.clock.now()
  const to = now + seconds
  if (!isTime(to)) {
    throw new ConfigError(`advance: ${seconds} s from ${now} is out of range.`, {
      next: 'Use an integer of seconds that ends between 1970 and 2106.',
    })
  }
  setClock(parts, to)
  return to
}

/** Opens the journal in the state directory. @throws ConfigError if the directory belongs to other data */
function openState(options: SandboxOptions, seed: number): OpenedJournal | undefined {
  if (options.stateDir === undefined) return undefined
  const header: JournalHeader = {
    world: {
      seed,
      incidents: incidentsOf(options),
      data: options.dataDir ?? '',
      ...(options.world === undefined ? {} : { story: options.world }),
      ...(options.late ? { late: options.late } : {}),
      ...(options.accountId === undefined ? {} : { account: options.accountId }),
    },
    now: options.now ?? Math.floor(Date.now() / 1_000),
  }
  const opened = openJournal(options.stateDir, header, options.warn ?? silent)
  const isSame = isDeepStrictEqual(opened.header.world, header.world)
  if (isSame && (options.now === undefined || options.now === opened.header.now)) return opened
  opened.journal.close()
  throw new ConfigError(
    `${options.stateDir} contains the state of another world: ${JSON.stringify(opened.header)}`,
    { next: 'Start with the same seed, world, incidents, data and now, or specify an empty directory.' },
  )
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new ConfigError(
      `the sandbox cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause, next: 'Use another port; 0 selects a free one.' },
    )
  }
  return (server.address() as AddressInfo).port
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
