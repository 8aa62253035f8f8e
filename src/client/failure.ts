import { ERROR_CODES } from '../contract/envelope.ts'
import type { Operation } from '../contract/operation.ts'
import { ContractError, type FaultlineError, NetworkError, ServiceError } from '../errors.ts'
import { tlsFault } from '../external-errors.ts'
import type { Message } from './open-envelope.ts'
import { parseRedirect, type RedirectTarget } from './redirect.ts'
import { type Decision, type Outcome, parseRetryAfter } from './retry.ts'
import { ANSWER_MB_MAX, type Fault, TimedOut, TooLarge } from './transport.ts'

/** The result of a request that returned no data. */
export type Failure = Exclude<Message, { kind: 'data' }> | ({ kind: 'fault' } & Fault)

/** HTTP statuses of temporary failures. Statuses of 520 and above come from content delivery networks. */
const TRANSIENT_STATUSES = new Set([
  408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530,
])

/** A response from another program is final, unless the service has responded earlier at this address. */
export function outcomeOf(
  failure: Failure,
  facts: { retryAfter: string | undefined; nowMs: number; hasAnswered: boolean },
): Outcome {
  const final: Outcome = { kind: 'final' }
  switch (failure.kind) {
    case 'fault':
      if (tlsFault(failure.cause) || failure.cause instanceof TooLarge) return final
      return { kind: failure.sent ? 'lost' : 'unreached' }
    case 'cut':
      return { kind: 'lost' }
    case 'garbled':
      return { kind: 'garbled' }
    case 'encoded':
      return final
    case 'foreign':
      return facts.hasAnswered ? { kind: 'garbled' } : final
    case 'failure': {
      const known = Object.hasOwn(ERROR_CODES, failure.code)
        ? ERROR_CODES[failure.code as keyof typeof ERROR_CODES]
        : undefined
      const status = known?.status ?? failure.status
      const retryAfterMs = parseRetryAfter(facts.retryAfter, facts.nowMs)
      if (status === ERROR_CODES.RequestTooFrequently.status) return { kind: 'throttled', retryAfterMs }
      if (TRANSIENT_STATUSES.has(status)) return { kind: 'failed', retryAfterMs }
      return isStatusOnly(failure) && facts.hasAnswered ? { kind: 'garbled' } : final
    }
  }
}

/** Whether `openEnvelope` made the code from the HTTP status, because the response contained no error code. */
const isStatusOnly = ({ code }: { code: string }) => code.startsWith('HTTP ')

export function isTimeout(failure: Failure): boolean {
  if (failure.kind === 'fault') return failure.cause instanceof TimedOut
  return failure.kind === 'failure' && (failure.status === 504 || failure.status === 524)
}

interface Ending {
  readonly why: (Decision & { retry: false })['why']
  readonly attempts: number
  readonly elapsedMs: number
  readonly retryAfterMs?: number | undefined
}

interface Words {
  readonly operation: Operation
  /** Number and duration of the attempts, such as ` (3 attempts in 12 s)`. Empty after one attempt. */
  readonly tried: string
  /** The suggested next step if the service might have acted on the request. Undefined otherwise. */
  readonly doubt: string | undefined
  /** Whether the call ended because of timeouts, so that a request for less data might work. */
  readonly smallerMayWork: boolean
  readonly ending: Ending
}

export function errorOf(operation: Operation, failure: Failure, ending: Ending): FaultlineError {
  const { why, attempts, elapsedMs } = ending
  const tried = attempts === 1 ? '' : ` (${attempts} attempts in ${Math.round(elapsedMs / 1000)} s)`
  const doubt = why === 'unsafe' ? 'The service may have acted. Check before you send it again.' : undefined
  // Cast, because the compiler cannot tell that `errors[failure.kind]` accepts this failure.
  const error = errors[failure.kind] as (failure: Failure, words: Words) => FaultlineError
  return error(failure, { operation, tried, doubt, smallerMayWork: why === 'timeouts', ending })
}

type Of<Kind extends Failure['kind']> = Extract<Failure, { kind: Kind }>

const errors: { [Kind in Failure['kind']]: (failure: Of<Kind>, words: Words) => FaultlineError } = {
  fault: (failure, words) =>
    failure.cause instanceof TooLarge
      ? badAnswer(words, {
          what: `is larger than ${ANSWER_MB_MAX} MB`,
          issue: `larger than ${ANSWER_MB_MAX} MB`,
          next: 'Request less at once: fewer rows or a shorter window. If that fails too, check `baseUrl`.',
          smallerMayWork: true,
        })
      : networkError(failure, words),
  cut: ({ requestId }, { operation: { name }, tried, doubt }) =>
    new NetworkError(`${name}: the answer was cut short${quote(requestId)}${tried}`, {
      next: doubt ?? 'Run it again later.',
      smallerMayWork: !doubt,
    }),
  garbled: ({ what, requestId }, words) =>
    badAnswer(words, {
      what: `${what}${quote(requestId)}${words.tried}`,
      issue: what,
      next: 'Report the request to the operators of the service, or of the proxy in front of it.',
      smallerMayWork: !words.doubt,
    }),
  encoded(failure, words) {
    const encoding = failure.encoding.slice(0, 20)
    return badAnswer(words, {
      what: `is compressed (${encoding}), which was not requested${quote(failure.requestId)}`,
      issue: `expected no content-encoding, got ${encoding}`,
      next: 'A proxy compresses it. Make it respect `accept-encoding: identity`, or bypass it (NO_PROXY).',
    })
  },
  foreign: ({ status, start }, words) =>
    badAnswer(words, {
      what: `is not the service's (HTTP ${status})${words.tried}`,
      issue: `expected a JSON object, got ${JSON.stringify(start)}`,
      next:
        words.tried === ''
          ? 'Check that `baseUrl` is the address of the service and not of a page or a proxy.'
          : 'A proxy or a maintenance page answered in place of the service. Run it again later.',
    }),
  failure: serviceError,
}

function badAnswer(
  { operation: { name }, doubt }: Words,
  facts: { what: string; issue: string; next: string; smallerMayWork?: boolean },
): ContractError {
  const { what, issue, next, smallerMayWork = false } = facts
  return new ContractError(`${name}: the answer ${what}`, {
    operation: name,
    issues: [{ path: '', message: issue }],
    next: doubt ?? next,
    smallerMayWork: smallerMayWork && doubt === undefined,
  })
}

function serviceError(failure: Of<'failure'>, { operation, tried, doubt, smallerMayWork, ending }: Words) {
  const { code, status, requestId, redirect } = failure
  const { why, retryAfterMs = 0 } = ending
  // All rate limits clear within `LONG_WAIT_MS`, so a longer wait has another reason.
  const isAsked = why === 'deadline' && retryAfterMs > LONG_WAIT_MS
  const wait = isAsked ? `; it asks to wait ${waitText(retryAfterMs)}` : ''
  const text = failure.text === '' ? '' : `: ${failure.text}`
  const target = redirect && parseRedirect(redirect.location, redirect.baseUrl, operation.path)
  const what = target ? `the service redirects to ${target.place} (${code})` : `${code}${text}`
  const next = isAsked
    ? 'No request is sent before then. Run it again later, or ask the operators of the service.'
    : target
      ? redirectStep(target)
      : nextStep(operation, failure)
  return new ServiceError(`${operation.name}: ${what}${wait}${quote(requestId)}${tried}`, {
    operation: operation.name,
    code,
    status,
    requestId,
    next: doubt ?? next,
    smallerMayWork,
  })
}

/** Any rate limit of the service clears within this time. */
const LONG_WAIT_MS = 3_600_000

function networkError({ sent, isCut, cause }: Fault, { operation, tried, doubt, smallerMayWork }: Words) {
  const tls = tlsFault(cause)
  const what = sent ? 'no complete answer' : 'the service was not reached'
  return new NetworkError(`${operation.name}: ${what}: ${tls?.reason ?? textOf(cause)}${tried}`, {
    next: doubt ?? tls?.next ?? 'Check the network and `baseUrl`, then run it again.',
    cause,
    smallerMayWork: smallerMayWork || (isCut && !doubt),
  })
}

function waitText(ms: number): string {
  const hours = ms / 3_600_000
  if (hours < 1) return `${Math.ceil(ms / 60_000)} minutes`
  if (hours < 48) return `${Math.ceil(hours)} hours`
  return hours / 24 > 36_500 ? 'more than 100 years' : `${Math.ceil(hours / 24).toLocaleString('en')} days`
}

function redirectStep({ baseUrl }: RedirectTarget): string {
  return baseUrl === undefined
    ? 'Check `baseUrl`: a login page or a proxy may answer in place of the service.'
    : `Set \`baseUrl\` to ${baseUrl} if that is your service.`
}

function nextStep({ permissions }: Operation, { code, status }: Of<'failure'>): string {
  switch (code) {
    case 'Unauthorized':
      return 'Unknown app key. Check FAULTLINE_APP_KEY, `appKeyFile` or `appKeyEnv`.'
    case 'AccessDenied':
      return permissions.length === 0
        ? 'The service protects this object. The key itself needs no permission.'
        : `The account of the key needs the permission ${permissions.join(' or ')}; access to built-in objects is refused for every key.`
    case 'RequestTooFrequently':
      return 'Other clients share this rate limit: wait, or set a lower `quota`.'
    case 'RouteNotFound':
      return 'Check the path in `baseUrl`: the service has no such operation there.'
    case 'InternalError':
      return 'The service failed. Run it again later. If it persists, report the request id.'
    case 'InvalidParameter':
      return 'The service rejected the request format; it may run another API version. Report the request id to its operators.'
    case 'ResourceNotFound':
      return 'Not found: the object does not exist or was deleted. Check the id.'
    default:
      if (isStatusOnly({ code })) {
        return TRANSIENT_STATUSES.has(status)
          ? 'The service is down or overloaded, or a proxy cannot reach it. Run it again later.'
          : 'Check `baseUrl`: the answer contains no error from the service.'
      }
      return 'Another attempt would be refused too. Report the request id to the operators of the service.'
  }
}

function quote(requestId: string): string {
  return requestId === '' ? '' : ` (request ${requestId})`
}

/** Returns the error's message, or its code or name if the message is empty (all addresses of a host failed). */
function textOf(cause: Error): string {
  return cause.message || ('code' in cause && String(cause.code)) || cause.name
}
