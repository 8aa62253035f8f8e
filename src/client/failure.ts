import { ERROR_CODES } from '../contract/envelope.ts'
import type { Operation } from '../contract/operation.ts'
import { ContractError, type FaultlineError, NetworkError, ServiceError } from '../errors.ts'
import type { Message } from './envelope.ts'
import { type Decision, type Outcome, parseRetryAfter } from './retry.ts'
import { ANSWER_MB_MAX, type Fault, TooLarge } from './transport.ts'

/** An exchange that brought no data. */
export type Failure = Exclude<Message, { kind: 'data' }> | ({ kind: 'fault' } & Fault)

const TRANSIENT_STATUSES = new Set([500, 502, 503, 504])
/** Certificates and protocol versions do not get better by asking again. */
const TLS_FAULT = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

/** What the failure means for trying again. A known code decides; an unknown one leaves it to the status. */
export function outcomeOf(failure: Failure, retryAfter: string | undefined, nowMs: number): Outcome {
  switch (failure.kind) {
    case 'fault':
      if (TLS_FAULT.test(codeOf(failure.cause)) || failure.cause instanceof TooLarge) return { kind: 'final' }
      return { kind: failure.sent ? 'lost' : 'unreached' }
    case 'cut':
      return { kind: 'lost' }
    case 'foreign':
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
  facts: { why: (Decision & { retry: false })['why']; attempts: number; elapsedMs: number },
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
      return new NetworkError(
        `${name}: ${failure.sent ? 'no whole answer' : 'the service was not reached'}: ${textOf(failure.cause)}${tried}`,
        {
          next: doubt ?? 'Check the network and `baseUrl`, then run it again.',
          cause: failure.cause,
        },
      )
    case 'cut':
      return new NetworkError(`${name}: the answer was cut short${quote(failure.requestId)}${tried}`, {
        next: doubt ?? 'Run it again later.',
      })
    case 'foreign':
      return new ContractError(`${name}: the answer is not the service's (HTTP ${failure.status})`, {
        operation: name,
        issues: [{ path: '', message: `expected a JSON object, got ${JSON.stringify(failure.start)}` }],
        next: 'Check that `baseUrl` is the address of the service and not of a page or a proxy.',
      })
    case 'failure':
      return new ServiceError(
        `${name}: ${failure.code}${failure.text === '' ? '' : `: ${failure.text}`}${quote(failure.requestId)}${tried}`,
        {
          operation: name,
          code: failure.code,
          status: failure.status,
          requestId: failure.requestId,
          next: doubt ?? nextStep(operation, failure.code),
        },
      )
  }
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
