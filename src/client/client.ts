import { setMaxListeners } from 'node:events'
import { type OperationName, operations, type RequestOf, type ResponseOf } from '../contract/index.ts'
import { RATE_LIMITS } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { type Effects, realEffects } from '../effects.ts'
import { ConfigError } from '../errors.ts'
import { type Budget, createBudget } from './budget/budget.ts'
import { memoryLog } from './budget/log.ts'
import { createSharedBudget, type Sharing } from './budget/shared-budget.ts'
import { createLimiter } from './limiter.ts'
import { redact } from './redact.ts'
import type { Reply, Take } from './reply.ts'
import { send } from './send.ts'
import { checkRequest, checkResponse } from './shape.ts'
import { createStats, type Stats } from './stats.ts'
import { createTransport } from './transport.ts'

/** Below the longest life of a place in the line of requests, with a minute to wait in it. */
const TIMEOUT_MOST_MS = 120_000

export interface ClientOptions {
  /** Address of the service, `https://host` or `https://host/path`. */
  baseUrl: string
  appKey: string
  /** Share of both rate limits to use, above 0 and up to 1 (the default); Infinity: no limits. */
  quota?: number | undefined
  effects?: Effects | undefined
  /** How long a request is tried again from its first attempt on, milliseconds; 180,000. Longer than a minute,
   * because a full rate limit takes that long to clear. */
  patienceMs?: number | undefined
  /** Shares the limits with other processes of this machine; without it this client keeps them alone. */
  sharing?: Sharing | undefined
  /** How long one exchange may take as a whole, milliseconds; 60,000, and at most 120,000. */
  timeoutMs?: number | undefined
  /** Requests under way at once, each on its own connection; 50, so that slow answers do not cost rate. While answers are
   * quick, fewer are. */
  concurrency?: number | undefined
  /** Ends all calls. */
  signal?: AbortSignal | undefined
}

interface CallOptions {
  signal?: AbortSignal | undefined
  /** Patience while no connection can be made at all, milliseconds: short for a first call, where a wrong address is
   * likelier than an outage. The client's patience unless given. */
  unreachedMs?: number | undefined
}

/** Options of a call whose answer is not validated as a whole. */
export interface ReadOptions<Bulk> extends CallOptions {
  /** Takes the bulk of the answer out of its bytes, for the reply's `bulk`. */
  take?: Take<Bulk> | undefined
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
  ): Promise<Reply<ResponseOf<Name>>>
  /** Only the request and the envelope are: for a reader that judges row by row. No digit of a number is lost. */
  read<Name extends OperationName, Bulk>(
    name: Name,
    input: RequestOf<Name>,
    options?: ReadOptions<Bulk>,
  ): Promise<Reply<unknown, Bulk>>
  stats(): Stats
  /** Ends what is waiting or under way, and closes the connections. */
  close(): Promise<void>
}

/** @throws ConfigError when an option is not usable */
export function createClient(options: ClientOptions): Client {
  const { appKey, quota = 1, patienceMs = 180_000, timeoutMs = 60_000, concurrency = 50 } = options
  checkOptions(appKey, quota, concurrency, timeoutMs)
  const effects = options.effects ?? realEffects()
  const budget = budgetOf(options, quota, timeoutMs, effects.elapsed)
  const parts = {
    limiter: createLimiter(effects, budget, concurrency),
    transport: createTransport({
      baseUrl: options.baseUrl,
      appKey,
      timeoutMs,
      connections: concurrency,
      clock: effects.elapsed,
    }),
    effects,
    patienceMs,
  }
  const stats = createStats()
  const closing = new AbortController()
  const ending = options.signal ? AbortSignal.any([closing.signal, options.signal]) : closing.signal
  // Every call listens to it while it lasts; thousands may wait at once.
  setMaxListeners(0, ending)

  /** Every call goes through here, and no error leaves with the key in it. */
  async function request(
    operation: Operation,
    input: unknown,
    { signal, unreachedMs = patienceMs, take }: ReadOptions<unknown>,
    finish: (reply: Reply<unknown>) => unknown,
  ) {
    const either = signal ? AbortSignal.any([ending, signal]) : ending
    try {
      const counts = stats.of(operation.name)
      const reply = await send(
        { ...parts, unreachedMs },
        operation,
        checkRequest(operation, input),
        counts,
        either,
        take,
      )
      return { ...reply, data: finish(reply) }
    } catch (error) {
      throw either.aborted && error === either.reason ? error : redact(error, [appKey])
    }
  }

  return {
    read<Name extends OperationName, Bulk>(
      name: Name,
      input: RequestOf<Name>,
      readOptions: ReadOptions<Bulk> = {},
    ) {
      const reply = request(operations[name], input, readOptions, ({ data }) => data)
      return reply as Promise<Reply<unknown, Bulk>>
    },
    call<Name extends OperationName>(name: Name, input: RequestOf<Name>, callOptions: CallOptions = {}) {
      const operation: Operation = operations[name]
      const finish = (reply: Reply<unknown>) => checkResponse(operation, reply.data, reply.requestId)
      return request(operation, input, callOptions, finish) as Promise<Reply<ResponseOf<Name>>>
    },
    stats: stats.snapshot,
    async close() {
      closing.abort(new Error('the client was closed'))
      await parts.transport.close()
      budget?.close()
    },
  }
}

function budgetOf(
  { baseUrl, appKey, sharing }: ClientOptions,
  share: number,
  longestMs: number,
  clock: () => number,
): Budget | undefined {
  if (share === Number.POSITIVE_INFINITY) return undefined
  const rule = { limits: RATE_LIMITS, share, longestMs }
  return sharing === undefined
    ? createBudget({ ...rule, log: memoryLog(), clock })
    : createSharedBudget({ ...rule, baseUrl, appKey }, sharing)
}

function checkOptions(appKey: string, quota: number, concurrency: number, timeoutMs: number) {
  if (appKey === '') throw new ConfigError('there is no app key', { next: 'Set FAULTLINE_APP_KEY.' })
  if (!(quota > 0) || (quota > 1 && quota !== Number.POSITIVE_INFINITY))
    throw new ConfigError(`quota is ${quota}`, { next: 'Give a share above 0 and up to 1.' })
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new ConfigError(`concurrency is ${concurrency}`, { next: 'Give a whole number from 1.' })
  if (!(timeoutMs > 0 && timeoutMs <= TIMEOUT_MOST_MS))
    throw new ConfigError(`timeoutMs is ${timeoutMs}`, { next: `Give at most ${TIMEOUT_MOST_MS}.` })
}
