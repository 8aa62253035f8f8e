import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import { FaultlineError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { exactTotal, type Proof } from './completeness.ts'
import type { RunStatus } from './ledger.ts'
import type { Slice } from './slice.ts'
import type { WindowState } from './window-state.ts'

/** One slice of a run (a window, or some ids) and its outcome. The outcomes determine the status of the run. */
export interface SliceRun {
  readonly resource: Resource
  readonly slice: Slice
  readonly windowId: number
  outcome: Exclude<WindowState, 'open'> | FaultlineError | null
  proof?: Proof
  /** Request ids of the responses. If the slice was read twice, `former` has those of the first read. */
  answers?: { readonly former: readonly string[]; readonly last: readonly string[] }
  /** Ids of the open records that the service returned. Set only if the slice requested nothing but open records. */
  open?: ReadonlySet<string>
  /** Whether any response contained unrequested records. */
  isAstray?: boolean
  /** Whether the slice is unverified only because all windows end at exactly one full page. */
  isCut?: boolean
  /** Whether a person accepted that the slice cannot be read. */
  isAcceptedUnread?: boolean
  warning?: Failure
  /** A warning about all unverified slices of the resource. Set only in the first of these slices. */
  doubt?: Failure
}

export interface Failure {
  readonly resource: string
  readonly message: string
  readonly next: string | undefined
}

/** Lists each reason once, because windows of a resource usually fail for the same reason. */
export function failuresOf(slices: readonly SliceRun[]): Failure[] {
  const failures = new Map<string, Failure>()
  for (const { resource, outcome, warning, doubt } of slices) {
    for (const one of [warning, doubt]) if (one) failures.set(`${resource.table} ${one.message}`, one)
    if (!(outcome instanceof FaultlineError)) continue
    const key = `${resource.table} ${outcome.next ?? outcome.message}`
    if (!failures.has(key)) {
      failures.set(key, { resource: resource.table, message: outcome.message, next: outcome.next })
    }
  }
  return [...failures.values()]
}

export function statusOf(slices: readonly SliceRun[], quarantined: number): RunStatus {
  if (slices.some(({ outcome }) => outcome === null || outcome instanceof FaultlineError)) return 'failed'
  return quarantined > 0 || slices.some(({ outcome }) => outcome === 'unproven') ? 'partial' : 'ok'
}

/** Whether the run can be published: every window was read, or a person accepted that it cannot be read. */
export function isComplete(slices: readonly SliceRun[]): boolean {
  const windows = slices.filter(({ resource }) => resource.read.kind === 'windows')
  const isRead = ({ outcome }: SliceRun) => outcome !== null && !(outcome instanceof FaultlineError)
  const isAccepted = (one: SliceRun) => isRead(one) || (one.outcome !== null && one.isAcceptedUnread === true)
  return windows.every(isAccepted) && (windows.length === 0 || windows.some(isRead))
}

/** Returns `reached`, or an earlier time if the windows just before `reached` could not be read. */
export function reachedWithout(slices: readonly SliceRun[], reached: number): number {
  const unread = slices.flatMap((one) => (one.isAcceptedUnread && one.slice.window ? [one.slice.window] : []))
  const last = unread.find(({ start, end }) => start < reached && end >= reached)
  return last ? reachedWithout(slices, last.start) : reached
}

/** Up to this many windows can end at exactly one full page by chance. */
const FULL_BY_CHANCE = 2

/** Returns the windows that end at exactly one full page, if so many do that responses are probably truncated. */
export function cutShort(slices: readonly SliceRun[]): readonly SliceRun[] {
  const windows = slices.filter(({ slice, proof }) => proof && slice.window && !slice.ids && !slice.onlyOpen)
  const sizes = windows.map(({ proof }) => proof!.distinct)
  const full = windows.filter(({ proof }) => proof!.distinct === PAGE_LIMIT_MAX)
  const isChance = full.length <= FULL_BY_CHANCE || 2 * full.length < sizes.filter((size) => size > 0).length
  return isChance || Math.max(...sizes) > PAGE_LIMIT_MAX ? [] : full
}

/**
 * Marks slices that got the response to another request, recognized by the request id. A cache that ignores the request
 * body sends such responses. If all responses have the same request id, the id shows nothing.
 * @returns the slices whose last read had such a response
 */
export function noteRepeated(slices: readonly SliceRun[]): readonly SliceRun[] {
  const times = new Map<string, number>()
  for (const { answers } of slices)
    for (const id of answers ? [...answers.former, ...answers.last] : [])
      times.set(id, (times.get(id) ?? 0) + 1)
  const isOthers = (id: string) => id !== '' && times.get(id)! > 1
  for (const { proof, answers } of slices)
    if (proof && answers) proof.isRepeated = [...answers.former, ...answers.last].some(isOthers)
  return times.size > 1 ? slices.filter(({ answers }) => answers?.last.some(isOthers)) : []
}

export const DOUBTS = {
  cut: 'ended at exactly one full page',
  repeated: 'another request got the same answer',
} as const

const count = (value: number) => value.toLocaleString('en')

const counted = (value: number, one: string, many: string) =>
  value > 0 ? [`${count(value)} ${value === 1 ? one : many}`] : []

const sum = (proofs: readonly Proof[], of: (proof: Proof) => number) =>
  proofs.reduce((total, proof) => total + of(proof), 0)

export function unprovenWarning(resource: Resource, slices: readonly SliceRun[]): Failure | undefined {
  // Skips slices with a warning about an outage, which is reported separately.
  const unproven = slices.filter(({ outcome, warning }) => outcome === 'unproven' && warning === undefined)
  const proofs = unproven.flatMap(({ proof }) => (proof ? [proof] : []))
  if (proofs.length === 0) return undefined
  const distinct = sum(proofs, (one) => one.distinct)
  const total = sum(proofs, (one) => exactTotal(resource, one) ?? one.distinct)
  const of = (kind: 'astray' | 'foreign' | 'stale') => sum(proofs, (one) => one[kind])
  const old = 'over an hour older than an earlier one'
  const isCut = unproven.every((one) => one.isCut)
  const parts = [
    ...(isCut ? [`all end at exactly one full page of ${PAGE_LIMIT_MAX}`] : []),
    ...(distinct < total ? [`${count(distinct)} of ${count(total)} records were returned`] : []),
    ...(distinct > total
      ? [`${count(distinct)} records were returned, but the service reports ${count(total)}`]
      : []),
    ...counted(of('astray'), 'was not requested', 'were not requested'),
    ...counted(of('foreign'), 'belongs to another account', 'belong to another account'),
    ...counted(of('stale'), `answer is ${old}`, `answers are ${old}`),
  ]
  const which =
    resource.read.kind === 'windows'
      ? `${count(unproven.length)} of ${count(slices.length)} windows are unverified`
      : 'the records are unverified'
  const said = parts.length > 0 ? `: ${parts.join(', ')}` : ''
  return {
    resource: resource.table,
    message: `${which}${said}. ${isCut ? LIKELY.cut : likelyCause(resource, proofs)}`,
    next: 'Sync again. If it persists, `faultline sync --accept-unproven` accepts them as incomplete, now and in later syncs.',
  }
}

const LIKELY = {
  cache: 'A cache or proxy probably repeats one answer for several requests.',
  ignored: 'The service, or a proxy in front of it, probably ignores the window of a request.',
  shifted: 'A proxy or the service probably shifts pages between requests.',
  foreign: 'The service returns records of other accounts.',
  moved: 'Records were added or removed while they were read.',
  order:
    'The order of the records probably changes between pages, so that some are returned twice and others never.',
  left: 'The service omits some records, or counts records that this key may not see.',
  more: 'The service returns more records than it counts.',
  cut: 'A proxy or the service probably truncates every answer.',
} as const

function likelyCause(resource: Resource, proofs: readonly Proof[]): string {
  const astray = sum(proofs, (one) => one.astray)
  const isAboutOthers = astray > 0 && resource.read.kind === 'ids'
  if (isAboutOthers || proofs.some(({ isRepeated, stale }) => isRepeated || stale > 0)) return LIKELY.cache
  // If the service ignores the window, most records are outside of it. If pages are shifted, only a few are.
  if (astray > 0) return astray > sum(proofs, (one) => one.distinct) ? LIKELY.ignored : LIKELY.shifted
  if (proofs.some(({ foreign }) => foreign > 0)) return LIKELY.foreign
  if (proofs.some(({ hasMoved }) => hasMoved) && resource.read.kind === 'pages') return LIKELY.moved
  if (proofs.some(({ total, distinct }) => total !== null && distinct > total)) return LIKELY.more
  return resource.read.kind === 'pages' ? LIKELY.order : LIKELY.left
}
