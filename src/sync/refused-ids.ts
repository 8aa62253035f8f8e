import { ContractError, type FaultlineError, NetworkError, ServiceError } from '../errors.ts'
import { emptyPage, type IdReader, type Page, unreadableReason } from './page.ts'

/** An answer that refuses the requested ids, as opposed to a general error of the request. */
interface Refusal {
  readonly code: string
  readonly reason: string
  readonly requestId: string
  /** Whether the refusal came after minutes of retries, which another request would take again. */
  readonly isSlow: boolean
  readonly error: FaultlineError
}

/** Statuses that concern the key, the request or the rate, regardless of the requested ids. */
const OF_THE_REQUEST: ReadonlySet<number> = new Set([401, 405, 407, 415, 429])

const NOT_FOUND = 'ResourceNotFound'
const DENIED = 'AccessDenied'

/** Returns the refusal that an error expresses, or undefined if the error is about something else. */
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

/** Requests ids. Returns a refusal instead of throwing it; throws any other error. */
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

/** After this number of consecutive refusals with the same code, the key is suspected instead of the records. */
const SUSPICIOUS = 3
/** Like `SUSPICIOUS`, as long as no id is known that the key can read. */
const SUSPICIOUS_UNKNOWN = 25

/** Distinguishes refused records from a key or a service for which everything is refused. */
function createSuspicion(ask: Ask, known: () => Promise<readonly string[]>) {
  let inARow = { code: '', count: 0 }
  let readable: string | undefined

  /** Whether the service answers differently about an id that the key could read earlier. Null if no such id is known. */
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
    /** Counts a refusal. @throws its error if the key or the service is at fault */
    async refused({ code, isSlow, error }: Refusal): Promise<void> {
      inARow = { code, count: inARow.code === code ? inARow.count + 1 : 1 }
      if (inARow.count < (isSlow ? 1 : SUSPICIOUS)) return
      const isRecord = await isOtherwise(code)
      if (isRecord) inARow = { code, count: 0 }
      const most = isSlow ? SUSPICIOUS : SUSPICIOUS_UNKNOWN
      if (!(isRecord ?? inARow.count < most)) throw error
    },
    /** Checks a refusal that ended a slice. @throws its error if the key or the service is at fault */
    async ended({ code, isSlow, error }: Refusal): Promise<void> {
      const isRecord = (await isOtherwise(code)) ?? (!isSlow && inARow.count < SUSPICIOUS)
      if (!isRecord) throw error
    },
  }
}

/** Maximum number of requests of a run for halving the batches of one resource. */
const HALVINGS_MOST = 200

/**
 * Reads the ids of one resource during a run. A refused batch is halved down to single ids, so that a refused id does not
 * affect the others. The id is stored as refused once the service has answered about another id.
 * @param known ids from earlier runs, which show whether the key still works
 */
export function createIdReader(ask: Ask, known: () => Promise<readonly string[]>): IdReader {
  const suspicion = createSuspicion(ask, known)
  let halvings = 0

  async function* readBatch(ids: readonly string[], held: Held): AsyncGenerator<Page> {
    const answer = await answerTo(ask, ids)
    if (!isRefusal(answer)) {
      suspicion.answered(answer)
      yield* held.release()
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
      const held = new Held()
      for (let at = 0; at < ids.length; at += batch) yield* readBatch(ids.slice(at, at + batch), held)
      if (held.last) await suspicion.ended(held.last)
      yield* held.release()
      if (held.failure) throw held.failure
    },
  }
}

/** The refused ids of a slice. They are held back, because the key might turn out to be at fault. */
class Held {
  pages: Page[] = []
  last: Refusal | undefined
  failure: FaultlineError | undefined;

  *release(): Generator<Page> {
    yield* this.pages
    this.pages = []
    this.last = undefined
  }
}

/**
 * Returns a page for a refused id. An id to which access is denied is settled until its next refresh. Any other refused
 * id is requested again in the next run.
 */
function refusedPage(id: string, { code, reason, requestId }: Refusal): Page {
  const page = emptyPage(requestId)
  return code === DENIED ? { ...page, checked: [id], denied: [id] } : { ...page, refused: [{ id, reason }] }
}
