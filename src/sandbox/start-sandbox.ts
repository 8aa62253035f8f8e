import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { Incident } from '../contract/incident.ts'
import { parseJson } from '../contract/json.ts'
import { ConfigError } from '../errors.ts'
import { sandboxClock } from './clock.ts'
import { createControl, isTime, setClock, truthOf } from './control.ts'
import { FaultInjector, type Faults, faultsSchema } from './faults.ts'
import { importWorld } from './import-world.ts'
import {
  type JournalEntry,
  type JournalHeader,
  memoryJournal,
  type OpenedJournal,
  openJournal,
} from './journal.ts'
import { type AppKey, issueKeys } from './keys.ts'
import { fixedLimiter, slidingLimiter } from './limiter.ts'
import { meanwhile, withEdits } from './meanwhile.ts'
import { createHttpServer } from './server.ts'
import { createService } from './service.ts'
import { Stats, type StatsReport } from './stats.ts'
import { buildWorld } from './world/build-world.ts'

/** How a sandbox is started. Everything has a default. */
export interface SandboxOptions {
  /** 0 (default) takes a free one. */
  port?: number
  /** 127.0.0.1 by default; control endpoints serve this machine only, whatever the host. */
  host?: string
  /** Incidents before `now` in the seeded world. Default 6,000, which spread over 28 weeks. */
  incidents?: number | undefined
  /** Share of the made-up incidents that change, or are opened again, months after they were closed. Default 0. */
  late?: number
  /** Plants facts that reports should find, as the demo does. Default false. */
  story?: boolean
  /** Default 1. */
  seed?: number | undefined
  /** Number of the account of a seeded world; the same seed has the same other ids in every account. */
  accountId?: number | undefined
  /** The key that may do everything. Default: one made up from the seed. */
  appKey?: string
  /** Where the clock stands at first, Unix seconds. Default: the real time. */
  now?: number | undefined
  /** Whether the clock runs on from there. Default: it stands, so that the same requests get the same answers. */
  clockRuns?: boolean
  /** Serves the records of this directory instead of a seeded world. */
  dataDir?: string | undefined
  /** Journals accepted writes in this directory and replays them on the next start. */
  stateDir?: string | undefined
  faults?: Partial<Faults> | undefined
  /** Waits this long before each answer. */
  latencyMs?: number | undefined
  /** False switches the rate limits off. Default true. */
  limits?: boolean
  /** Default `sliding`, which is exact. */
  limiter?: 'sliding' | 'fixed' | undefined
  /** Whether a 429 carries Retry-After. Default true. */
  retryAfter?: boolean
  /** Is told of a torn journal, and of failures of the sandbox itself. */
  warn?: (message: string) => void
}

/** A running sandbox. */
export interface Sandbox {
  readonly baseUrl: string
  /** The key that may do everything. */
  readonly appKey: string
  readonly appKeys: readonly AppKey[]
  readonly port: number
  /** The sandbox's own time, Unix seconds. */
  now(): number
  /** Requests by operation and status, and the most of any second and minute. */
  stats(): StatsReport
  /**
   * Moves its time on, or back: incidents are acknowledged, close, reopen and vanish as their stories go.
   * @returns the new time
   * @throws ConfigError for no whole number of seconds, or a time before 1970 or after 2106
   */
  advance(seconds: number): number
  /** Injects these faults from now on, and no others; `{}` ends them. @throws ConfigError naming the fault */
  setFaults(faults: Partial<Faults>): void
  /** Every incident as `incident/list` gives it now: what a copy is to be compared with. */
  truth(): Incident[]
  /** The writes that were accepted, in their order. */
  audit(): readonly JournalEntry[]
  /** Stops listening and closes the journal. */
  close(): Promise<void>
}

const INCIDENTS = 6_000
const INCIDENTS_MAX = 10_000_000
/** The world reaches some years back from here and some ahead, in the eight hexadecimal digits of an id. */
const EARLIEST_NOW = 200_000_000
const LATEST_NOW = 4_000_000_000
const LATENCY_MAX_MS = 600_000
const silent = () => {}

/** Starts the sandbox. @throws ConfigError when the data or the state cannot be used */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions(options)
  const { seed = 1 } = options
  const faults = new FaultInjector(seed, checkFaults(options.faults))
  const opened = openState(options, seed)
  const anchor = opened?.header.now ?? options.now ?? Math.floor(Date.now() / 1_000)
  const clock = sandboxClock(anchor, options.clockRuns ? () => Date.now() / 1_000 : undefined)
  const built =
    options.dataDir === undefined
      ? buildWorld(
          {
            seed,
            incidents: options.incidents ?? INCIDENTS,
            anchor,
            late: options.late ?? 0,
            story: options.story,
            accountId: options.accountId,
          },
          clock,
        )
      : importWorld(options.dataDir)
  const edits = new Map<number, number>()
  const world = { ...built, incidents: withEdits(built.incidents, edits) }
  const appKeys = issueKeys(seed, [...world.account.callers.keys()], options.appKey)
  const journal = opened?.journal ?? memoryJournal()
  const service = createService(world, clock, seed, journal)
  for (const line of opened?.lines ?? []) {
    if ('clock' in line) clock.set(line.clock)
    else service.replay(line)
  }
  // A clock that nobody set is the real one, also after a night without the sandbox.
  const wasSet = options.now !== undefined || opened?.lines.some((line) => 'clock' in line)
  if (options.clockRuns && !wasSet) clock.set(Math.floor(Date.now() / 1_000))
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
    meanwhile: meanwhile({ world, faults, edits, now: clock.now }),
    stats,
    warn: options.warn ?? silent,
    control: createControl({ world, clock, journal, stats, faults, keys: appKeys }),
  })
  const host = options.host ?? '127.0.0.1'
  const port = await listen(server, options.port ?? 0, host)
  let closing: Promise<void> | undefined
  return {
    baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    appKey: appKeys[0]!.key,
    appKeys,
    port,
    now: clock.now,
    stats: () => stats.report(),
    advance(seconds) {
      const to = clock.now() + seconds
      if (!isTime(to)) {
        throw new ConfigError(`advance: ${seconds} s from ${clock.now()} is no time of the sandbox.`, {
          next: 'Name a whole number of seconds that ends between 1970 and 2106.',
        })
      }
      setClock({ clock, journal }, to)
      return to
    },
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

/** Opens the state directory, if there is one. @throws ConfigError when it belongs to another world */
function openState(options: SandboxOptions, seed: number): OpenedJournal | undefined {
  if (options.stateDir === undefined) return undefined
  const header: JournalHeader = {
    world: {
      seed,
      incidents: options.incidents ?? INCIDENTS,
      data: options.dataDir ?? '',
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
    `${options.stateDir} holds the state of another world: ${JSON.stringify(opened.header)}`,
    {
      next: 'Start with the same seed, incidents, data and now, or name an empty directory.',
    },
  )
}

/** The port. @throws ConfigError when the sandbox may not have it */
async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new ConfigError(
      `the sandbox cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause, next: 'Name another port; 0 takes a free one.' },
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

/** @throws ConfigError naming the fault */
function checkFaults(faults: Partial<Faults> = {}): Faults {
  const { data, error } = faultsSchema.safeParse(faults)
  if (data !== undefined) return data
  const [issue] = error.issues
  const place = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  throw new ConfigError(`faults: ${place}${issue?.message}`, {
    next: `There are ${Object.keys(faultsSchema.shape).join(', ')}.`,
  })
}

/** @throws ConfigError naming the option */
function checkOptions(options: SandboxOptions): void {
  const { port = 0, incidents = INCIDENTS, seed = 1, now = EARLIEST_NOW, latencyMs = 0, late = 0 } = options
  const isWhole = (value: number, min: number, max: number) =>
    Number.isSafeInteger(value) && value >= min && value <= max
  if (!(late >= 0 && late <= 1)) throw new ConfigError('late must be a share from 0 to 1')
  if (!isWhole(port, 0, 65_535)) throw new ConfigError('port must be 0 to 65535')
  if (!isWhole(latencyMs, 0, LATENCY_MAX_MS))
    throw new ConfigError(`latency must be 0 to ${LATENCY_MAX_MS} ms`)
  if (!isWhole(incidents, 0, INCIDENTS_MAX)) throw new ConfigError(`incidents must be 0 to ${INCIDENTS_MAX}`)
  if (!isWhole(seed, -(2 ** 31), 2 ** 31 - 1)) throw new ConfigError('seed must be a whole number of 32 bits')
  if (!isWhole(now, EARLIEST_NOW, LATEST_NOW)) {
    throw new ConfigError(`now must be Unix seconds from ${EARLIEST_NOW} to ${LATEST_NOW}`)
  }
}
