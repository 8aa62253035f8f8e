import { ERROR_CODES } from '../contract/envelope.ts'
import type { Operation } from '../contract/operation.ts'
import { ContractError, type FaultlineError, NetworkError, ServiceError } from '../errors.ts'
import { tlsFault } from '../foreign-errors.ts'
import type { Message } from './envelope.ts'
import { type Decision, type Outcome, parseRetryAfter } from './retry.ts'
import { ANSWER_MB_MAX, type Fault, TooLarge } from './transport.ts'

/** An exchange that brought no data. */
export type Failure = Exclude<Message, { kind: 'data' }> | ({ kind: 'fault' } & Fault)

const TRANSIENT_STATUSES = new Set([500, 502, 503, 504])

/** What the failure means for trying again. A known code decides; an unknown one leaves it to the status. */
export function outcomeOf(failure: Failure, retryAfter: string | undefined, nowMs: number): Outcome {
  switch (failure.kind) {
    case 'fault':
      if (tlsFault(failure.cause) || failure.cause instanceof TooLarge) return { kind: 'final' }
      return { kind: failure.sent ? 'lost' : 'unreached' }
    case 'cut':
      return { kind: 'lost' }
    case 'garbled':
      return { kind: 'garbled' }
    case 'foreign':
    case 'encoded':
      return { kind: 'final' }
    case 'failure': {
      const known = Object.hasOwn(ERROR_CODES, failure.code)
        ? ERROR_CODES[failure.code as keyof typeof ERROR_CODES]
        : undefined
      const status = known?.status ?? failure.status
      const retryAfterMs = parseRetryAfter(retryAfter, nowMs)
      if (status === ERROR_CODES.RequestTooFrequently.status) return { kind: 'throttled', retryAfterMs }
      return TRANSIENT_STATUSES.has(status) ? { kind: 'failed', retryAfterMs } : { kind: 'final' }
    }
  }
}

/** The failure as the error that the caller sees: what, where, how often, what next. */
export function errorOf(
  operation: Operation,
  failure: Failure,
  facts: {
    why: (Decision & { retry: false })['why']
    attempts: number
    elapsedMs: number
    /** What the service asked to wait, if it did. */
    retryAfterMs?: number | undefined
  },
): FaultlineError {
  const { name } = operation
  const tried =
    facts.attempts === 1 ? '' : ` (${facts.attempts} attempts in ${Math.round(facts.elapsedMs / 1000)} s)`
  const doubt =
    facts.why === 'unsafe'
      ? 'It is not known whether the service acted: look before you send it again.'
      : undefined
  switch (failure.kind) {
    case 'fault':
      if (failure.cause instanceof TooLarge) {
        return new ContractError(`${name}: the answer is larger than ${ANSWER_MB_MAX} MB`, {
          operation: name,
          issues: [{ path: '', message: `larger than ${ANSWER_MB_MAX} MB` }],
          next: 'Check that `baseUrl` is the address of the service: none of its answers comes near that size.',
        })
      }
      return networkError(name, failure, tried, doubt)
    case 'cut':
      return new NetworkError(`${name}: the answer was cut short${quote(failure.requestId)}${tried}`, {
        next: doubt ?? 'Run it again later.',
      })
    case 'garbled':
      return new ContractError(`${name}: the answer ${failure.what}${quote(failure.requestId)}${tried}`, {
        operation: name,
        issues: [{ path: '', message: failure.what }],
        next: doubt ?? 'Tell those who run the service, or the proxy before it, and name the request.',
      })
    case 'encoded':
      return new ContractError(
        `${name}: the answer is compressed (${failure.encoding.slice(0, 20)}), which was not asked for${quote(failure.requestId)}`,
        {
          operation: name,
          issues: [
            { path: '', message: `expected no content-encoding, got ${failure.encoding.slice(0, 20)}` },
          ],
          next:
            doubt ??
            'A proxy in between does it: have it heed `accept-encoding: identity`, or go around it (NO_PROXY).',
        },
      )
    case 'foreign':
      return new ContractError(`${name}: the answer is not the service's (HTTP ${failure.status})`, {
        operation: name,
        issues: [{ path: '', message: `expected a JSON object, got ${JSON.stringify(failure.start)}` }],
        next: 'Check that `baseUrl` is the address of the service and not of a page or a proxy.',
      })
    case 'failure': {
      // Others of the account are not the reason where it names a time far away.
      const asked =
        facts.why === 'deadline' && (facts.retryAfterMs ?? 0) > LONG_WAIT_MS ? facts.retryAfterMs : undefined
      const wait = asked === undefined ? '' : `; it asks to wait ${waitText(asked)}`
      return new ServiceError(
        `${name}: ${failure.code}${failure.text === '' ? '' : `: ${failure.text}`}${wait}${quote(failure.requestId)}${tried}`,
        {
          operation: name,
          code: failure.code,
          status: failure.status,
          requestId: failure.requestId,
          next:
            doubt ??
            (asked === undefined
              ? nextStep(operation, failure.code)
              : 'Nothing is tried before that: run it again then, or ask those who run the service why.'),
        },
      )
    }
  }
}

/** Longer than any limit of the service takes to clear. */
const LONG_WAIT_MS = 3_600_000

function networkError(
  name: string,
  { sent, cause }: Fault,
  tried: string,
  doubt: string | undefined,
): NetworkError {
  const tls = tlsFault(cause)
  const what = sent ? 'no whole answer' : 'the service was not reached'
  return new NetworkError(`${name}: ${what}: ${tls?.reason ?? textOf(cause)}${tried}`, {
    next: doubt ?? tls?.next ?? 'Check the network and `baseUrl`, then run it again.',
    cause,
  })
}

/** `35 days`, for people; the service may ask for any time. */
function waitText(ms: number): string {
  const hours = ms / 3_600_000
  if (hours < 1) return `${Math.ceil(ms / 60_000)} minutes`
  if (hours < 48) return `${Math.ceil(hours)} hours`
  return hours / 24 > 36_500 ? 'more than 100 years' : `${Math.ceil(hours / 24).toLocaleString('en')} days`
}

function nextStep({ permissions }: Operation, code: string): string | undefined {
  switch (code) {
    case 'Unauthorized':
      return 'The service does not know this key: check FAULTLINE_APP_KEY, or what `appKeyFile` or `appKeyEnv` names.'
    case 'AccessDenied':
      return permissions.length === 0
        ? 'The service protects this object; a valid key alone is needed here.'
        : `The account of the key needs the permission ${permissions.join(' or ')}; built-in objects are refused to everyone.`
    case 'RequestTooFrequently':
      return 'Others use the same account: wait, take a smaller share with `quota`, or share the limits with `limits.redis`.'
    case 'RouteNotFound':
      return 'Check the path in `baseUrl`: the service answers there, and has no such operation.'
    case 'InternalError':
      return 'The service failed: run it again later, and quote the request id if it goes on.'
    default:
      return code.startsWith('HTTP ')
        ? 'Check `baseUrl`: no error of the service came with this status.'
        : undefined
  }
}

function quote(requestId: string): string {
  return requestId === '' ? '' : ` (request ${requestId})`
}

/** Trying several addresses of one host gives an error whose own message is empty. */
function textOf(cause: Error): string {
  return cause.message || codeOf(cause) || cause.name
}

function codeOf(cause: Error): string {
  return 'code' in cause ? String(cause.code) : ''
}
