import { ContractError, type FaultlineError, NetworkError, ServiceError } from '../errors.ts'
import { emptyPage, type IdReader, type Page, unreadableReason } from './page.ts'

/** An error that might concern only the requested ids. */
interface Refusal {
  readonly code: string
  readonly reason: string
  readonly requestId: string
  /** Whether the client retried for minutes before it gave up. */
  readonly isSlow: boolean
  readonly error: FaultlineError
}

/** HTTP statuses that concern the key, the request or the rate limit, but not the requested ids. */
const OF_THE_REQUEST: ReadonlySet<number> = new Set([401, 405, 407, 415, 429])

const NOT_FOUND = 'ResourceNotFound'
const DENIED = 'AccessDenied'

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof ServiceError) {
    const { code, status, requestId } = error
    if (OF_THE_REQUEST.has(status) || code === 'RouteNotFound') return undefined
    const isSlow = status >= 500 || status === 408 || status === 425 || code === 'InternalError'
    const reason = code.startsWith('HTTP ') ? code : `${code} (HTTP ${status})`
    return { code, reason: `the service answered ${reason}`, requestId, isSlow, error }
  }
  if (error instanceof NetworkError)
    return { code: 'no answer', reason: 'no complete answer', requestId: '', isSlow: true, error }
  if (!(error instanceof ContractError)) return undefined
  return { code: 'unreadable', reason: unreadableReason(error), requestId: '', isSlow: false, error }
}

type Ask = (ids: readonly string[]) => Promise<Page>

/** Returns a refusal instead of throwing it. Throws any other error. */
async function answerTo(ask: Ask, ids: readonly string[]): Promise<Page | Refusal> {
  try {
    return await ask(ids)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    const isGone = refusal.code === NOT_FOUND && ids.length === 1
    return isGone ? { ...emptyPage(refusal.requestId), checked: ids, missing: ids } : refusal
  }
}

const isRefusal = (answer: Page | Refusal): answer is Refusal => 'error' in answer

/** After this number of equal refusals in a row, an id that the key could read before is requested as a test. */
const SUSPICIOUS = 3
/** If no such id is known, this number of refusals means that the key is refused. */
const SUSPICIOUS_UNKNOWN = 25

/** Distinguishes a refusal of single records from a refusal of everything. */
function createSuspicion(ask: Ask, known: () => Promise<readonly string[]>) {
  let inARow = { code: '', count: 0 }
  let readable: string | undefined

  /** Whether the service responds differently for an id that the key could read before. Null if no such id is known. */
  async function isOtherwise(code: string): Promise<boolean | null> {
    const others = readable === undefined ? await known() : [readable]
    for (const id of others) {
      const answer = await answerTo(ask, [id])
      if (!isRefusal(answer) || answer.code !== code) return true
    }
    return others.length === 0 ? null : false
  }

  return {
    answered({ checked = [], missing = [] }: Page): void {
      inARow = { code: '', count: 0 }
      readable = checked.find((id) => !missing.includes(id)) ?? readable
    },
    /** Counts a refused request. @throws the request's error if the key or the service is the cause */
    async refused({ code, isSlow, error }: Refusal): Promise<void> {
      inARow = { code, count: inARow.code === code ? inARow.count + 1 : 1 }
      if (inARow.count < (isSlow ? 1 : SUSPICIOUS)) return
      const isRecord = await isOtherwise(code)
      if (isRecord) inARow = { code, count: 0 }
      const most = isSlow ? SUSPICIOUS : SUSPICIOUS_UNKNOWN
      if (!(isRecord ?? inARow.count < most)) throw error
    },
    /** Checks the last refusal of a slice. @throws the request's error if the key or the service is the cause */
    async ended({ code, isSlow, error }: Refusal): Promise<void> {
      const isRecord = (await isOtherwise(code)) ?? (!isSlow && inARow.count < SUSPICIOUS)
      if (!isRecord) throw error
    },
  }
}

/** Maximum number of requests for halves of refused batches, per resource and run. */
const HALVINGS_MOST = 200

/**
 * Halves a refused batch down to single ids, so that a refused id does not affect the others. A refused id is stored
 * only after the service has returned another id, because the key might be the cause.
 * @param known returns ids that the key could read in earlier runs
 */
export function createIdReader(ask: Ask, known: () => Promise<readonly string[]>): IdReader {
  const suspicion = createSuspicion(ask, known)
  let halvings = 0

  async function* readBatch(ids: readonly string[], held: Held): AsyncGenerator<Page> {
    const answer = await answerTo(ask, ids)
    if (!isRefusal(answer)) {
      suspicion.answered(answer)
      yield* release(held)
      yield answer
      return
    }
    await suspicion.refused(answer)
    const [first, ...others] = ids
    if (first === undefined) return
    if (others.length === 0) {
      held.pages.push(refusedPage(first, answer))
      held.last = answer
      return
    }
    if (halvings >= HALVINGS_MOST) {
      held.failure ??= answer.error
      return
    }
    halvings += 2
    const half = Math.ceil(ids.length / 2)
    yield* readBatch(ids.slice(0, half), held)
    yield* readBatch(ids.slice(half), held)
  }

  return {
    async *read(ids, batch) {
      const held: Held = { pages: [] }
      for (let at = 0; at < ids.length; at += batch) yield* readBatch(ids.slice(at, at + batch), held)
      if (held.last) await suspicion.ended(held.last)
      yield* release(held)
      if (held.failure) throw held.failure
    },
  }
}

/** Refused ids of a slice. They are not stored yet, because the key might be the cause. */
interface Held {
  pages: Page[]
  last?: Refusal | undefined
  failure?: FaultlineError
}

function* release(held: Held): Generator<Page> {
  held.last = undefined
  yield* held.pages.splice(0)
}

/**
 * Returns a page about a refused id. The next run requests it again, but a denied id (no access) waits for its next
 * refresh.
 */
function refusedPage(id: string, { code, reason, requestId }: Refusal): Page {
  const page = emptyPage(requestId)
  return code === DENIED ? { ...page, checked: [id], denied: [id] } : { ...page, refused: [{ id, reason }] }
}
