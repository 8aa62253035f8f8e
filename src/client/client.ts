import { setMaxListeners } from 'node:events'
import type { OperationName, RequestOf, ToleratedOf } from '../contract/index.ts'
import { RATE_LIMITS } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { type Effects, realEffects } from '../effects.ts'
import { ConfigError } from '../errors.ts'
import { isSentInClear } from '../settings/loopback.ts'
import { checkRequest, checkResponse, operationNamed } from './check-call.ts'
import { createLimiter, shareOf } from './limiter.ts'
import { redact } from './redact.ts'
import { createStats, type KnownService, type Reply, type Stats, send } from './send.ts'
import { createWaiting } from './slow-request-notice.ts'
import { createTransport } from './transport.ts'

export interface ClientOptions {
  /** Address of the service, `https://host` or `https://host/path`. */
  baseUrl: string
  appKey: string
  /** Allows an address that begins with `http://`: the key crosses the network in the clear. This machine needs no permission. */
  insecure?: boolean | undefined
  /** Share of both rate limits to use, above 0 and up to 1 (the default); Infinity: no limits. */
  quota?: number | undefined
  effects?: Effects | undefined
  /** How long a request is tried again from its first attempt on, milliseconds; 180,000. Longer than a minute,
   * because a full rate limit takes that long to clear. */
  maxRetryMs?: number | undefined
  /** How long one exchange may take, milliseconds; 60,000. */
  timeoutMs?: number | undefined
  /** Ends all calls. */
  signal?: AbortSignal | undefined
  /** Told in a sentence what is waited for, after ten seconds without an answer or with errors, and at most once a minute. */
  onWait?: ((sentence: string) => void) | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** The same as `maxRetryMs` as long as this call reached nothing, milliseconds: short for a first call, where a wrong
   * address is likelier than an outage. `maxRetryMs` by default. */
  connectRetryMs?: number | undefined
  /** The caller can ask for less: the second timeout ends the call instead of being retried until `maxRetryMs`. */
  canShrink?: boolean
  /** The reply of a large answer is released by the caller, so that others wait until it was dealt with. */
  hold?: boolean
}

/**
 * Speaks with the service. Both calls throw ContractError (request or answer), NetworkError, ServiceError, or
 * the reason of an aborted signal; none of them holds the key.
 */
export interface Client {
  /** Request and answer are validated. */
  call<Name extends OperationName>(
    name: Name,
    input: RequestOf<Name>,
    options?: CallOptions,
  ): Promise<Reply<ToleratedOf<Name>>>
  /** Only the request and the envelope are: for a reader that validates row by row. No digit of a number is lost. */
  read<Name extends OperationName>(
    name: Name,
    input: RequestOf<Name>,
    options?: CallOptions,
  ): Promise<Reply<unknown>>
  /** What was sent so far, by operation too: requests, refusals of the limits, retries, bytes. */
  stats(): Stats
  /** Ends what is waiting or under way, and closes the connections. */
  close(): Promise<void>
}

/** @throws ConfigError when an option is not usable */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, appKey, quota = 1, maxRetryMs = 180_000, timeoutMs = 60_000 } = options
  checkOptions(appKey, quota, timeoutMs)
  if (options.insecure !== true) refuseClear(baseUrl)
  const effects = options.effects ?? realEffects()
  const transport = createTransport({ baseUrl, appKey, timeoutMs })
  const limits = quota === Number.POSITIVE_INFINITY ? [] : shareOf(RATE_LIMITS, quota)
  const limiter = createLimiter(limits, effects)
  const secrets = [appKey]
  const stats = createStats()
  const waiting = createWaiting(effects, (sentence) => options.onWait?.(redact(sentence, secrets)))
  const known: KnownService = { hasAnswered: false, hasRawControls: false }
  const closing = new AbortController()
  const ending = options.signal ? AbortSignal.any([closing.signal, options.signal]) : closing.signal
  // Every call listens to it while it lasts; thousands may wait at once.
  setMaxListeners(0, ending)

  /** Every call goes through here, and no error leaves with a secret in it. */
  async function request(
    operation: Operation,
    input: unknown,
    { signal, connectRetryMs = maxRetryMs, canShrink = false, hold = false }: CallOptions,
    finish: (reply: Reply<unknown>) => unknown,
  ) {
    const either = signal ? AbortSignal.any([ending, signal]) : ending
    try {
      const counts = stats.of(operation.name)
      const reply = await send(
        { limiter, transport, effects, waiting, maxRetryMs, connectRetryMs, canShrink, known },
        operation,
        checkRequest(operation, input),
        counts,
        either,
      )
      if (!hold) reply.release?.()
      return { ...reply, data: finish(reply) }
    } catch (error) {
      throw either.aborted && error === either.reason ? error : redact(error, secrets)
    }
  }

  return {
    read<Name extends OperationName>(name: Name, input: RequestOf<Name>, readOptions: CallOptions = {}) {
      return request(operationNamed(name), input, readOptions, ({ data }) => data)
    },
    call<Name extends OperationName>(name: Name, input: RequestOf<Name>, callOptions: CallOptions = {}) {
      const operation = operationNamed(name)
      const finish = (reply: Reply<unknown>) => checkResponse(operation, reply.data, reply.requestId)
      return request(operation, input, callOptions, finish) as Promise<Reply<ToleratedOf<Name>>>
    },
    stats: stats.snapshot,
    async close() {
      closing.abort(new Error('the client was closed'))
      limiter.close()
      await transport.close()
    },
  }
}

/** The key is in the address of every request. */
function refuseClear(baseUrl: string): void {
  if (!isSentInClear(baseUrl)) return
  throw new ConfigError(
    `baseUrl begins with http://, and every request to ${new URL(baseUrl).host} carries the app key.`,
    {
      field: 'baseUrl',
      next: 'Write it with https://. If the network between is trusted, set `insecure: true`.',
    },
  )
}

function checkOptions(appKey: string, quota: number, timeoutMs: number) {
  if (appKey === '') throw new ConfigError('there is no app key', { next: 'Set FAULTLINE_APP_KEY.' })
  if (!(quota > 0) || (quota > 1 && quota !== Number.POSITIVE_INFINITY))
    throw new ConfigError(`quota is ${quota}`, { next: 'Give a share above 0 and up to 1.' })
  if (!(timeoutMs > 0)) throw new ConfigError(`timeoutMs is ${timeoutMs}`, { next: 'Give one above 0.' })
}
