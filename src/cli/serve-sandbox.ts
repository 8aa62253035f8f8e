import { once } from 'node:events'
import { parseMoment } from '../config/moment.ts'
import { stringifyJson } from '../contract/json.ts'
import { openApiDocument } from '../contract/openapi.ts'
import { ConfigError } from '../errors.ts'
import { startSandbox } from '../sandbox/start-sandbox.ts'
import type { Context } from './context.ts'
import { countOf } from './count-of.ts'

interface SandboxOptions {
  readonly port?: string | undefined
  readonly incidents?: string | undefined
  readonly seed?: string | undefined
  readonly account?: string | undefined
  readonly now?: string | undefined
  readonly data?: string | undefined
  readonly state?: string | undefined
  readonly faults?: string | undefined
  readonly latency?: string | undefined
  readonly limits: boolean
  readonly limiter?: string | undefined
  readonly retryAfter: boolean
  readonly stand?: boolean | undefined
  /** Prints what a shell takes, instead of one line of JSON. */
  readonly env?: boolean | undefined
}

/** Serves the sandbox until it is stopped; prints where, once it listens. @returns the exit status */
export async function serveSandbox(context: Context, options: SandboxOptions): Promise<number> {
  const realNow = Math.floor(Date.now() / 1_000)
  const sandbox = await startSandbox({
    port: portOf(options.port),
    incidents: countOf('--incidents', options.incidents, 0),
    seed: countOf('--seed', options.seed, 0),
    accountId: countOf('--account', options.account, 0),
    now: options.now === undefined ? undefined : parseMoment(options.now, realNow, '--now'),
    dataDir: options.data,
    stateDir: options.state,
    faults: options.faults === undefined ? undefined : parseFaults(options.faults),
    latencyMs: countOf('--latency', options.latency, 0),
    clockRuns: !options.stand,
    limits: options.limits,
    limiter: options.limiter === undefined ? undefined : parseLimiter(options.limiter),
    retryAfter: options.retryAfter,
    warn: (message) => context.console.note(message),
  })
  // The key is a made-up one, printed because clients of the sandbox need it.
  const { baseUrl, appKey } = sandbox
  context.console.out(
    options.env
      ? `export FAULTLINE_BASE_URL=${baseUrl}\nexport FAULTLINE_APP_KEY=${appKey}`
      : JSON.stringify({ base_url: baseUrl, app_key: appKey, now: sandbox.now() }),
  )
  if (!context.signal.aborted) await once(context.signal, 'abort')
  await sandbox.close()
  return 0
}

/** Prints the description of the API, as it is served on a port. @returns the exit status */
export function printOpenApi({ console }: Context, port: string | undefined): number {
  console.out(stringifyJson(openApiDocument(`http://127.0.0.1:${portOf(port)}`), 2))
  return 0
}

const portOf = (text: string | undefined) => countOf('--port', text, 0) ?? 8_080

function parseLimiter(text: string): 'sliding' | 'fixed' {
  if (text === 'sliding' || text === 'fixed') return text
  throw new ConfigError(`--limiter: "${text}" is neither sliding nor fixed.`)
}

/** `status_500=0.1,reset=0.05`: names and probabilities; the sandbox says which names there are. */
function parseFaults(spec: string): Record<string, number> {
  const pairs = spec.split(',').map((part) => part.split('='))
  for (const [name, value] of pairs) {
    if (!name || !value?.trim() || Number.isNaN(Number(value))) {
      throw new ConfigError(`--faults: "${spec}" is not a list such as status_500=0.1,reset=0.05.`)
    }
  }
  return Object.fromEntries(pairs.map(([name, value]) => [name!, Number(value)]))
}
