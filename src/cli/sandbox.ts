import { once } from 'node:events'
import { parseMoment } from '../config/moment.ts'
import { stringifyJson } from '../contract/json.ts'
import { openApiDocument } from '../contract/openapi.ts'
import { ConfigError } from '../errors.ts'
import { startSandbox } from '../sandbox/start-sandbox.ts'
import type { Context } from './context.ts'
import { countOf } from './count-of.ts'

interface SandboxFlags {
  readonly port?: string
  readonly incidents?: string
  readonly seed?: string
  readonly account?: string
  readonly now?: string
  readonly data?: string
  readonly state?: string
  readonly faults?: string
  readonly latency?: string
  readonly limits?: boolean
  readonly limiter?: string
  readonly retryAfter?: boolean
  readonly openapi?: boolean
  readonly stand?: boolean
  readonly env?: boolean
}

/**
 * `faultline sandbox`: a local, stateful emulator of the API, until it is stopped. Prints one JSON line once it listens,
 * or with `env` what a shell takes; with `openapi` it prints the description of the API and starts nothing.
 */
export async function sandboxCommand(context: Context, flags: SandboxFlags): Promise<number> {
  const port = countOf('--port', flags.port, 0) ?? 8_080
  if (flags.openapi) {
    context.console.out(stringifyJson(openApiDocument(`http://127.0.0.1:${port}`), 2))
    return 0
  }
  const realNow = Math.floor(Date.now() / 1_000)
  const sandbox = await startSandbox({
    port,
    incidents: countOf('--incidents', flags.incidents, 0),
    seed: countOf('--seed', flags.seed, 0),
    accountId: countOf('--account', flags.account, 0),
    now: flags.now === undefined ? undefined : parseMoment(flags.now, realNow, '--now'),
    dataDir: flags.data,
    stateDir: flags.state,
    faults: flags.faults === undefined ? undefined : parseFaults(flags.faults),
    latencyMs: countOf('--latency', flags.latency, 0),
    clockRuns: !flags.stand,
    limits: flags.limits ?? true,
    limiter: flags.limiter === undefined ? undefined : parseLimiter(flags.limiter),
    retryAfter: flags.retryAfter ?? true,
    warn: (message) => context.console.note(message),
  })
  // The key is a made-up one, printed because clients of the sandbox need it.
  const { baseUrl, appKey } = sandbox
  context.console.out(
    flags.env
      ? `export FAULTLINE_BASE_URL=${baseUrl}\nexport FAULTLINE_APP_KEY=${appKey}`
      : JSON.stringify({ base_url: baseUrl, app_key: appKey, now: sandbox.now() }),
  )
  if (!context.signal.aborted) await once(context.signal, 'abort')
  await sandbox.close()
  return 0
}

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
