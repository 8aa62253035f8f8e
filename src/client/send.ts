import type { Operation } from '../contract/operation.ts'
import type { Effects } from '../effects.ts'
import { emptyData } from './check-call.ts'
import { errorOf, type Failure, outcomeOf } from './failure.ts'
import type { Limiter } from './limiter.ts'
import { headerOf, type Message, openEnvelope } from './open-envelope.ts'
import { decide } from './retry.ts'
import type { Answer, Transport } from './transport.ts'
import type { Waiting } from './waiting.ts'

interface SendParts {
  limiter: Limiter
  transport: Transport
  effects: Effects
  waiting: Waiting
  maxRetryMs: number
  /** The same as long as nothing was ever reached. */
  connectRetryMs: number
}

/**
 * Sends a request until it brings data, or until another attempt is useless, unsafe or too late. Every attempt
 * needs a permit of its own; a 429 pauses the limiter, and with it all other requests.
 * @throws NetworkError, ServiceError, ContractError, ConfigError, or the signal's reason
 */
export async function send(
  { limiter, transport, effects, waiting, maxRetryMs, connectRetryMs }: SendParts,
  operation: Operation,
  request: unknown,
  counts: Counts,
  signal: AbortSignal,
): Promise<Reply<unknown>> {
  let firstAt: number | undefined
  let wasReached = false
  for (let attempt = 1; ; attempt++) {
    const permit = await limiter.acquire({ signal, isRetry: attempt > 1 })
    firstAt ??= effects.elapsed()
    counts.requests++
    if (attempt > 1) counts.retries++
    let sleepMs = 0
    let answer: Answer | undefined
    let isTaken = false
    try {
      const result = await transport.exchange(operation, request, signal, () =>
        waiting.silent(operation.name),
      )
      if ('body' in result) answer = result
      if (answer) counts.bytes += answer.bytes
      const message: Message | Failure =
        'body' in result ? openEnvelope(result) : { kind: 'fault', ...result }
      if (message.kind === 'data') {
        isTaken = true
        return replyOf(operation, message, answer!)
      }
      const outcome = outcomeOf(message, answer && headerOf(answer.headers, 'retry-after'), effects.now())
      if (outcome.kind === 'throttled') counts.throttled++
      const elapsedMs = effects.elapsed() - firstAt
      wasReached ||= outcome.kind !== 'unreached'
      const most = wasReached ? maxRetryMs : Math.min(maxRetryMs, connectRetryMs)
      const facts = { outcome, attempt, elapsedMs, maxRetryMs: most }
      const decision = decide({ ...facts, writes: operation.writes, random: effects.random() })
      if (!decision.retry) {
        const retryAfterMs = 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined
        throw errorOf(operation, message, { why: decision.why, attempts: attempt, elapsedMs, retryAfterMs })
      }
      const { waitMs } = decision
      const problem = errorOf(operation, message, { why: 'final', attempts: 1, elapsedMs }).message
      waiting.retrying(problem, { elapsedMs, waitMs, maxRetryMs: most })
      effects.log.warn('trying again', { operation: operation.name, attempt, waitMs, outcome: outcome.kind })
      // The pause must stand before the permit is released, or the next in the queue slips through.
      if (outcome.kind === 'throttled') limiter.pause(waitMs)
      else sleepMs = waitMs
    } finally {
      if (!isTaken) answer?.release()
      permit.release(answer !== undefined)
    }
    if (sleepMs > 0) await effects.sleep(sleepMs, signal)
  }
}

function replyOf(operation: Operation, message: Message & { kind: 'data' }, answer: Answer): Reply<unknown> {
  const { data = emptyData(operation), requestId } = message
  const serviceTime = Date.parse(headerOf(answer.headers, 'date') ?? '') || null
  return { data, requestId, bytes: answer.bytes, serviceTime, release: answer.release }
}

/** What came of a call: its data, the id to quote to the service, the size of the answer's body in bytes, and when. */
export interface Reply<T> {
  data: T
  requestId: string
  bytes: number
  /** The service's clock by its answer, milliseconds since the epoch; null where it has none. */
  serviceTime: number | null
  /** Lets the next large answer be read. Only who asked for `hold` has to call it. */
  release?(): void
}

/** Of one operation: requests sent (each attempt is one), 429s among them, attempts again, bytes of answers. */
export interface Counts {
  requests: number
  throttled: number
  retries: number
  bytes: number
}

export interface Stats extends Counts {
  byOperation: Record<string, Counts>
}

/** Counts per operation; the totals are their sums. */
export function createStats() {
  const byOperation: Record<string, Counts> = {}
  return {
    of(operation: string): Counts {
      byOperation[operation] ??= { requests: 0, throttled: 0, retries: 0, bytes: 0 }
      return byOperation[operation]
    },
    snapshot(): Stats {
      const all = Object.values(byOperation)
      const sum = (of: keyof Counts) => all.reduce((total, counts) => total + counts[of], 0)
      return {
        requests: sum('requests'),
        throttled: sum('throttled'),
        retries: sum('retries'),
        bytes: sum('bytes'),
        byOperation: structuredClone(byOperation),
      }
    },
  }
}
