import type { Client } from '../../client/client.ts'
import { operations } from '../../contract/index.ts'
import { RATE_LIMITS } from '../../contract/limits.ts'
import type { Effects } from '../../effects.ts'
import { ServiceError } from '../../errors.ts'
import type { Resource } from '../../resources/resource.ts'
import { sample } from '../../sync/sample-request.ts'
import { type CheckResult, fail, failed, ok, warn } from './check-result.ts'

interface Asking {
  readonly client: Client
  readonly effects: Pick<Effects, 'now'>
  readonly signal: AbortSignal
  readonly resources: readonly Resource[]
  readonly quota: number
  /** Returns an id from the warehouse, because the service probably still has this record. */
  readonly idOf: (resource: Resource) => Promise<string | undefined>
}

const SKEW_S = 60
/** Time limit for connection retries: short because the address may be wrong, but enough for a lost packet. */
const CONNECT_RETRY_MS = 5_000

export async function* checkService(asking: Asking): AsyncGenerator<CheckResult> {
  const { client, effects, signal } = asking
  const before = effects.now()
  let serviceTime: number | null
  try {
    // Uses `read`, which does not validate records, because an invalid record does not mean that the key is wrong.
    const options = { signal, connectRetryMs: CONNECT_RETRY_MS }
    const reply = await client.read('member/list', { p: 1, limit: 1 }, options)
    const tookMs = effects.now() - before
    serviceTime = reply.serviceTime
    yield ok('service', `responds in ${tookMs} ms and accepts the key`)
    yield clockFinding(serviceTime, before + tookMs / 2)
  } catch (error) {
    yield failed('service', error)
    return
  }
  const now = Math.floor((serviceTime ?? effects.now()) / 1_000)
  for (const resource of asking.resources) yield await readFinding(asking, resource, now)
  yield limitsFinding(asking)
}

/** Compares clocks, in Unix ms. HTTP dates have no milliseconds, so `serviceTime` is 500 ms too early on average. */
function clockFinding(serviceTime: number | null, hereMs: number): CheckResult {
  if (serviceTime === null)
    return ok('clock', "the service does not send its time, so this machine's time is used")
  const ahead = Math.round((hereMs - serviceTime - 500) / 1_000)
  if (Math.abs(ahead) <= SKEW_S) return ok('clock', 'this machine and the service have the same time')
  return warn(
    'clock',
    `this machine is ${durationText(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the service`,
    "Syncs use the service's clock. Set this machine's clock (NTP), which schedules and TLS use.",
  )
}

async function readFinding(asking: Asking, resource: Resource, now: number): Promise<CheckResult> {
  const check = `read ${resource.table}`
  const known = await asking.idOf(resource)
  const id = known ?? '0'.repeat(31).concat('1')
  try {
    const { records, rejected, reason } = await sample(asking.client, resource, {
      now,
      id: wireable(resource, id),
      signal: asking.signal,
    })
    if (rejected === 0) return ok(check, `${resource.operation} may be read`)
    return warn(
      check,
      `${rejected} of ${records} records violate the service's contract: ${reason}`,
      'They will be quarantined: see `faultline quarantine` after a sync.',
    )
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined
    // The service rejected only the made-up id, so it accepted the key.
    if (code === 'InvalidParameter' && known === undefined && resource.read.kind === 'ids')
      return ok(check, `${resource.operation} may be read`)
    if (code !== 'AccessDenied') return failed(check, error)
    const permissions = operations[resource.operation].permissions.join(' or ')
    return fail(
      check,
      `this key has no permission for ${resource.operation}`,
      `Grant its account the permission ${permissions}, or remove the resource from \`resources\` in config.json.`,
    )
  }
}

/** Formats an id like the resource's key. If the key is a number, removes leading zeros. */
function wireable(resource: Resource, id: string): string {
  const column = resource.columns.find((one) => one.name === resource.key.at(-1))
  return column?.type === 'BIGINT' ? String(BigInt(id)) : id
}

function limitsFinding({ client, quota }: Asking): CheckResult {
  const count = (requests: number) => requests.toLocaleString('en')
  const ours = RATE_LIMITS.map(
    ({ requests: all, windowMs }) =>
      `${count(Math.floor(all * quota))} of ${count(all)} requests in ${windowMs / 1_000} s`,
  )
  const { requests, throttled } = client.stats()
  if (throttled === 0)
    return ok('limits', `our share is ${ours.join(' and ')}; none of ${requests} requests was rejected`)
  return warn(
    'limits',
    `${throttled} of ${requests} requests were rejected (429): other clients share this rate limit`,
    'Lower `sync.quota`, or sync at another time.',
  )
}

function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}
