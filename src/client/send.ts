import type { Operation } from '../contract/operation.ts'
import type { Effects } from '../effects.ts'
import { headerOf, openEnvelope } from './envelope.ts'
import { errorOf, type Failure, outcomeOf } from './failure.ts'
import type { Limiter } from './limiter.ts'
import type { Reply, Take } from './reply.ts'
import { decide } from './retry.ts'
import { emptyData } from './shape.ts'
import type { Counts } from './stats.ts'
import type { RoundTrip, Transport } from './transport.ts'

/** What a sender works with. */
export interface SendParts {
  limiter: Limiter
  transport: Transport
  effects: Effects
  patienceMs: number
  /** The same while no byte of a request could be sent. */
  unreachedMs: number
}

/**
 * Sends a request until it brings data, or until another attempt is useless, unsafe or too late. Every attempt
 * takes its own leave from the limiter; a 429 pauses the limiter, and with it all other requests.
 * @throws NetworkError, ServiceError, ContractError, or the signal's reason
 */
export async function send(
  { limiter, transport, effects, patienceMs, unreachedMs }: SendParts,
  operation: Operation,
  request: unknown,
  counts: Counts,
  signal: AbortSignal,
  take?: Take<unknown>,
): Promise<Reply<unknown>> {
  let firstAt: number | undefined
  for (let attempt = 1; ; attempt++) {
    const ticket = await limiter.take({ signal, again: attempt > 1 })
    firstAt ??= effects.elapsed()
    counts.requests++
    if (attempt > 1) counts.retries++
    let sleepMs = 0
    let arrived: RoundTrip | undefined
    try {
      const result = await transport.exchange(operation, request, signal)
      // Opening a large answer takes milliseconds. The heads of others that have come are timed first, because
      // one that is timed late brings its token back late.
      await nextTurn()
      const isAnswer = 'body' in result
      arrived = isAnswer ? result : result.arrived
      if (isAnswer) counts.bytes += result.bytes
      const message: ReturnType<typeof openEnvelope> | Failure = isAnswer
        ? openEnvelope(result, take)
        : { kind: 'fault', ...result }
      if (message.kind === 'data') {
        const { data = emptyData(operation), bulk, requestId } = message
        const date = isAnswer ? headerOf(result.headers, 'date') : undefined
        const serviceTime = Date.parse(date ?? '') || null
        return { data, bulk, requestId, bytes: isAnswer ? result.bytes : 0, serviceTime }
      }
      const retryAfter = isAnswer ? headerOf(result.headers, 'retry-after') : undefined
      const outcome = outcomeOf(message, retryAfter, effects.now())
      if (outcome.kind === 'throttled') counts.throttled++
      const elapsedMs = effects.elapsed() - firstAt
      const decision = decide({
        outcome,
        attempt,
        elapsedMs,
        patienceMs: outcome.kind === 'unreached' ? Math.min(patienceMs, unreachedMs) : patienceMs,
        writes: operation.writes,
        random: effects.random(),
      })
      if (!decision.retry)
        throw errorOf(operation, message, { why: decision.why, attempts: attempt, elapsedMs })
      const { waitMs } = decision
      effects.log.warn('trying again', { operation: operation.name, attempt, waitMs, outcome: outcome.kind })
      // The pause must stand before this ticket is given back, or the next in the queue slips through.
      if (outcome.kind === 'throttled') limiter.pause(waitMs)
      else sleepMs = waitMs
    } finally {
      ticket.end(arrived)
    }
    if (sleepMs > 0) await effects.sleep(sleepMs, signal)
  }
}

let turn: Promise<void> | undefined

/** Resolves when all that has come by now is read: one promise for all who ask in the same turn of the event loop. */
function nextTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}
