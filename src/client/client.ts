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
  /** Allows an `http://` address, which sends the key unencrypted. Not needed for a service on this machine. */
  insecure?: boolean | undefined
  /** Share of the rate limits that this client uses: above 0, at most 1 (default: 1). Infinity disables its limiter. */
  quota?: number | undefined
  effects?: Effects | undefined
  /** Maximum time for retries after the first attempt, in ms (default: 180,000). */
  maxRetryMs?: number | undefined
  /** Timeout for one request and its response, in ms (default: 60,000). */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  /** Receives a sentence if the service is slow or failing: first after ten seconds, then at most once a minute. */
  onWait?: ((sentence: string) => void) | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Replaces `maxRetryMs` until this call reaches the service. A shorter time reports a wrong address sooner. */
  connectRetryMs?: number | undefined
  /** Whether the caller can retry with a smaller request. If so, the call fails after two timeouts. */
  canShrink?: boolean
  /** Makes other large responses wait until the caller releases this reply, to limit memory use. */
  hold?: boolean
}

/** A client of the service. Calls throw ContractError, NetworkError or ServiceError, or an aborted signal's reason. */
export interface Client {
  /** Validates the request and the response. */
  call<Name extends OperationName>(
    name: Name,
    input: RequestOf<Name>,
    options?: CallOptions,
  ): Promise<Reply<ToleratedOf<Name>>>
  /** Like `call`, but the caller validates `data` itself, row by row. */
  read<Name extends OperationName>(
    name: Name,
    input: RequestOf<Name>,
    options?: CallOptions,
  ): Promise<Reply<unknown>>
  stats(): Stats
  close(): Promise<void>
}

/** @throws ConfigError for an invalid option */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, appKey, quota = 1, maxRetryMs = 180_000, timeoutMs = 60_000 } = options
  checkOptions(options, quota, timeoutMs)
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
  // 0 allows any number of listeners: every running call adds one, and thousands can run at the same time.
  setMaxListeners(0, ending)

  async function request(
    operation: Operation,
    input: unknown,
    { signal, connectRetryMs = maxRetryMs, canShrink = false, hold = false }: CallOptions,
    finish: (reply: Reply<unknown>) => unknown,
  ) {
    const either = signal ? AbortSignal.any([ending, signal]) : ending
    try {
      const reply = await send(
        { limiter, transport, effects, waiting, maxRetryMs, connectRetryMs, canShrink, known },
        operation,
        checkRequest(operation, input),
        stats.of(operation.name),
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

function checkOptions({ baseUrl, appKey, insecure }: ClientOptions, quota: number, timeoutMs: number) {
  if (appKey === '') throw new ConfigError('the app key is missing', { next: 'Set FAULTLINE_APP_KEY.' })
  if (!(quota > 0) || (quota > 1 && quota !== Number.POSITIVE_INFINITY))
    throw new ConfigError(`invalid quota ${quota}`, { next: 'Set a share above 0 and up to 1.' })
  if (!(timeoutMs > 0))
    throw new ConfigError(`invalid timeoutMs ${timeoutMs}`, { next: 'Set a number above 0.' })
  if (insecure || !isSentInClear(baseUrl)) return
  throw new ConfigError(
    `baseUrl begins with http://, so every request to ${new URL(baseUrl).host} would send the app key unencrypted.`,
    { field: 'baseUrl', next: 'Use https://. If the network is trusted, set `insecure: true`.' },
  )
}
