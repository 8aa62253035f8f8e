import { checkOptions, type Expected } from '../check-options.ts'
import { ConfigError } from '../errors.ts'
import { type Faults, faultsSchema } from './faults.ts'
import { lessonOf } from './world/scenarios/index.ts'

export interface SandboxOptions {
  /** 0 (default) selects a free port. */
  port?: number
  /** Default 127.0.0.1. Control endpoints accept only requests from this machine, regardless of the host. */
  host?: string
  /** Number of generated incidents before `now`. Default 6,000 over 28 weeks; each scenario has another default. */
  incidents?: number | undefined
  /** Share of the generated incidents that are changed or reopened months after they were closed. Default 0. */
  late?: number
  /** A scenario: `meridian` (the demo's company), `storm`, `silence` or `test-services`. Default: none. */
  world?: string | undefined
  seed?: number | undefined
  /** Account id of generated data. All other ids depend only on the seed. */
  accountId?: number | undefined
  /** The key with all permissions. Default: generated from the seed. */
  appKey?: string
  /** Initial time of the clock, Unix seconds. Default: the real time. */
  now?: number | undefined
  /** Whether the clock runs. Default false, so that the same requests get the same responses. */
  clockRuns?: boolean
  /** Serves the records in this directory instead of generated data. */
  dataDir?: string | undefined
  /** Journals accepted writes in this directory and replays them on the next start. */
  stateDir?: string | undefined
  faults?: Partial<Faults> | undefined
  latencyMs?: number | undefined
  /** False disables the rate limits. Default true. */
  limits?: boolean
  /** Default `sliding`, which is exact. */
  limiter?: 'sliding' | 'fixed' | undefined
  /** Whether a 429 has Retry-After. Default true. */
  retryAfter?: boolean
  /** Called if the last line of the journal is incomplete, and if the sandbox itself fails. */
  warn?: (message: string) => void
}

const EXPECTED = {
  ...{ port: 'number', host: 'text', incidents: 'number', late: 'number', world: 'text', seed: 'number' },
  ...{ accountId: 'number', appKey: 'text', now: 'number', clockRuns: 'boolean', dataDir: 'text' },
  ...{ stateDir: 'text', faults: 'object', latencyMs: 'number', limits: 'boolean', limiter: 'text' },
  ...{ retryAfter: 'boolean', warn: 'function' },
} as const satisfies Expected<SandboxOptions>

const INCIDENTS = 6_000
const INCIDENTS_MAX = 10_000_000
/** Incidents start some years before and after `now`, and their ids store this time in 32 bits. */
const EARLIEST_NOW = 200_000_000
const LATEST_NOW = 4_000_000_000
const LATENCY_MAX_MS = 600_000

/** @throws ConfigError that names the invalid fault */
export function checkFaults(faults: Partial<Faults> = {}): Faults {
  const { data, error } = faultsSchema.safeParse(faults)
  if (data !== undefined) return data
  const [issue] = error.issues
  const place = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  throw new ConfigError(`faults: ${place}${issue?.message}`, {
    next: `Available: ${Object.keys(faultsSchema.shape).join(', ')}.`,
  })
}

/** @throws ConfigError for an unknown scenario */
export function incidentsOf({ incidents, world }: Pick<SandboxOptions, 'incidents' | 'world'>): number {
  return incidents ?? (world === undefined ? INCIDENTS : lessonOf(world).incidents)
}

/** @throws ConfigError that names the invalid option */
export function checkSandboxOptions(options: SandboxOptions): void {
  checkOptions('createSandbox', options, EXPECTED)
  const incidents = incidentsOf(options)
  const { port = 0, seed = 1, now = EARLIEST_NOW, latencyMs = 0, late = 0, limiter = 'sliding' } = options
  const isWhole = (value: number, min: number, max: number) =>
    Number.isSafeInteger(value) && value >= min && value <= max
  if (!(late >= 0 && late <= 1)) throw new ConfigError('late must be a share from 0 to 1')
  if (!['sliding', 'fixed'].includes(limiter))
    throw new ConfigError(`unknown limiter "${limiter}"`, { next: 'Available: sliding, fixed.' })
  if (!isWhole(port, 0, 65_535)) throw new ConfigError('port must be 0 to 65535')
  if (!isWhole(latencyMs, 0, LATENCY_MAX_MS))
    throw new ConfigError(`latency must be 0 to ${LATENCY_MAX_MS} ms`)
  if (!isWhole(incidents, 0, INCIDENTS_MAX)) throw new ConfigError(`incidents must be 0 to ${INCIDENTS_MAX}`)
  if (!isWhole(seed, -(2 ** 31), 2 ** 31 - 1)) throw new ConfigError('seed must be an integer of 32 bits')
  if (!isWhole(now, EARLIEST_NOW, LATEST_NOW))
    throw new ConfigError(`now must be Unix seconds from ${EARLIEST_NOW} to ${LATEST_NOW}`)
}
