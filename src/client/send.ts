import type { Operation } from '../contract/operation.ts'
import type { Effects } from '../effects.ts'
import { emptyData } from './check-call.ts'
import { errorOf, type Failure, isTimeout, outcomeOf } from './failure.ts'
import type { Limiter } from './limiter.ts'
import { headerOf, type Message, openEnvelope } from './open-envelope.ts'
import { decide, parseServiceTime } from './retry.ts'
import type { SlowRequestNotice } from './slow-request-notice.ts'
import type { Answer, Transport } from './transport.ts'

interface SendParts {
  limiter: Limiter
  transport: Transport
  effects: Effects
  waiting: SlowRequestNotice
  maxRetryMs: number
  connectRetryMs: number
  canShrink: boolean
  known: KnownService
}

export interface KnownService {
  /** Whether a response had data, which shows that the address is right. */
  hasAnswered: boolean
  /** Whether a response had raw tabs or line breaks in strings. Only the first such response is logged. */
  hasRawControls: boolean
}

interface Progress {
  attempt: number
  /** When the first attempt was sent, as a value of `effects.elapsed()`. */
  firstAt: number
  wasReached: boolean
  garbled: number
  timeouts: number
}

/** Sends a request with retries. A 429 pauses all requests of the client. */
export async function send(
  parts: SendParts,
  operation: Operation,
  request: unknown,
  counts: Counts,
  signal: AbortSignal,
): Promise<Reply<unknown>> {
  const { limiter, transport, effects, waiting, known } = parts
  const progress: Progress = { attempt: 0, firstAt: 0, wasReached: false, garbled: 0, timeouts: 0 }
  while (true) {
    const isRetry = progress.attempt > 0
    const permit = await limiter.acquire({ signal, isRetry })
    if (!isRetry) progress.firstAt = effects.elapsed()
    progress.attempt++
    counts.requests++
    if (isRetry) counts.retries++
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
        noteAnswer(known, message, operation, effects)
        isTaken = true
        return replyOf(operation, message, answer!)
      }
      const retry = planRetry(parts, operation, message, answer, progress, counts)
      // The pause must start before the permit is released. Otherwise, the next request in the queue would be sent.
      if (retry.isThrottled) limiter.pause(retry.waitMs)
      else sleepMs = retry.waitMs
    } finally {
      if (!isTaken) answer?.release()
      permit.release(answer !== undefined)
    }
    if (sleepMs > 0) await effects.sleep(sleepMs, signal)
  }
}

function noteAnswer(
  known: KnownService,
  { hasRawControls, requestId }: Message & { kind: 'data' },
  { name }: Operation,
  { log }: Effects,
): void {
  known.hasAnswered = true
  if (!hasRawControls || known.hasRawControls) return
  known.hasRawControls = true
  log.warn('an answer contains raw tabs or line breaks in texts, which JSON forbids; they are kept', {
    operation: name,
    requestId,
  })
}

/** Returns how long to wait before the next attempt. @throws the error for the caller if there is no retry */
function planRetry(
  { effects, waiting, maxRetryMs, connectRetryMs, canShrink, known }: SendParts,
  operation: Operation,
  failure: Failure,
  answer: Answer | undefined,
  progress: Progress,
  counts: Counts,
): { waitMs: number; isThrottled: boolean } {
  const { name, writes } = operation
  const retryAfter = answer && headerOf(answer.headers, 'retry-after')
  // A date in `Retry-After` is a time on the service's clock, which might differ from the local clock.
  const nowMs = (answer && serviceTimeOf(answer)) ?? effects.now()
  const outcome = outcomeOf(failure, { retryAfter, nowMs, hasAnswered: known.hasAnswered })
  if (outcome.kind === 'throttled') counts.throttled++
  const { attempt } = progress
  const elapsedMs = effects.elapsed() - progress.firstAt
  progress.wasReached ||= outcome.kind !== 'unreached'
  if (outcome.kind === 'garbled') progress.garbled++
  if (canShrink && isTimeout(failure)) progress.timeouts++
  const most = progress.wasReached ? maxRetryMs : Math.min(maxRetryMs, connectRetryMs)
  const { garbled, timeouts } = progress
  const decision = decide({
    outcome,
    attempt,
    garbled,
    timeouts,
    elapsedMs,
    maxRetryMs: most,
    writes,
    random: effects.random(),
  })
  if (!decision.retry) {
    const retryAfterMs = 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined
    throw errorOf(operation, failure, { why: decision.why, attempts: attempt, elapsedMs, retryAfterMs })
  }
  const { waitMs } = decision
  const problem = errorOf(operation, failure, { why: 'final', attempts: 1, elapsedMs }).message
  waiting.retrying(problem, { elapsedMs, waitMs, maxRetryMs: most })
  effects.log.warn('trying again', { operation: name, attempt, waitMs, outcome: outcome.kind })
  return { waitMs, isThrottled: outcome.kind === 'throttled' }
}

function replyOf(operation: Operation, message: Message & { kind: 'data' }, answer: Answer): Reply<unknown> {
  const { data = emptyData(operation), requestId } = message
  return { data, requestId, bytes: answer.bytes, serviceTime: serviceTimeOf(answer), release: answer.release }
}

const serviceTimeOf = ({ headers }: Answer) => parseServiceTime(headerOf(headers, 'date'))

export interface Reply<T> {
  data: T
  requestId: string
  /** Size of the response's body, in bytes. */
  bytes: number
  /** The service's time from the response, in milliseconds since the epoch. Null if the response has none. */
  serviceTime: number | null
  /** Allows the next large response to be read. Only needed with the option `hold`. */
  release?(): void
}

/** Counts for one operation. `requests` counts every attempt, and `throttled` the 429 responses. */
export interface Counts {
  requests: number
  throttled: number
  retries: number
  bytes: number
}

export interface Stats extends Counts {
  byOperation: Record<string, Counts>
}

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
