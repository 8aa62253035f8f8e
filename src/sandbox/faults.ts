import { z } from 'zod'
import { LIST_WINDOW_S } from '../contract/limits.ts'
import { unit } from './random.ts'
import { Page } from './responses.ts'

const share = z.number().min(0).max(1).default(0)

/** Each fault is a probability from 0 (default) to 1, except `slow_ms`. */
export const faultsSchema = z.strictObject({
  /** Returns RequestTooFrequently although the limits are not exceeded. */
  status_429: share,
  /** Like `status_429`, but always without Retry-After. */
  status_429_bare: share,
  status_500: share,
  reset: share,
  /** Declares the full length of the body, but sends only half of it. */
  truncate: share,
  /** Sends a complete response with one byte that JSON does not allow. */
  malformed: share,
  /** Maximum random delay of each response, milliseconds. */
  slow_ms: z.number().min(0).max(600_000).default(0),
  /** Gives one row of incident/list an undocumented structure. For other operations, it equals `wrong_payload`. */
  wrong_shape: share,
  wrong_payload: share,
  /** Makes incident/list return the cursor of the request. */
  repeat_cursor: share,
  duplicate_row: share,
  drop_row: share,
  /** A list begins with the last row of the operation's previous response, and omits its own last row. */
  shifted_page: share,
  /** One of several rows of incident/list or member/list belongs to another account. */
  foreign_account: share,
  /** Makes incident/list empty, as if the service had lost an index, or the key had fewer permissions. */
  empty: share,
  future_clock: share,
  /** Makes incident/list use the last 31 days instead of the requested window. */
  ignored_window: share,
  /** Repeats the first response of each URL, like a cache that ignores the body of a POST. */
  stale_cache: share,
  /** Before each member/list response, the oldest member leaves. Before team/infos, the oldest team is deleted. */
  member_leaves: share,
  team_deleted: share,
  /** Before incident/list responses, a closed incident of any age gets another title. */
  late_edit: share,
})
export type Faults = z.output<typeof faultsSchema>
type Kind = Exclude<keyof Faults, 'slow_ms'>

const WRONG = 'not what was promised'

/** The latest time that fits into 32 bits, in the year 2106. */
const FUTURE = 4_294_967_295

/** Chooses faults from a seed, so that the same requests in the same order get the same faults. */
export class FaultInjector {
  readonly #seed: number
  #drawn = 0
  #current: Faults
  /** The first response for each URL. */
  #cached = new Map<string, string>()
  #lastRows = new Map<string, unknown>()

  constructor(seed: number, faults: Faults) {
    this.#seed = seed
    this.#current = faults
  }

  get current(): Faults {
    return this.#current
  }

  set current(faults: Faults) {
    this.#current = faults
    this.#cached.clear()
    this.#lastRows.clear()
  }

  occurs(kind: Kind): boolean {
    const chance = this.current[kind]
    return chance > 0 && this.#draw() < chance
  }

  delayMs(): number {
    return this.current.slow_ms === 0 ? 0 : this.#draw() * this.current.slow_ms
  }

  pick(count: number): number {
    return Math.floor(this.#draw() * count)
  }

  corruptInput(operation: string, input: unknown, now: number): unknown {
    const isList = operation === 'incident/list' && typeof input === 'object' && input !== null
    if (!isList || !this.occurs('ignored_window')) return input
    return { ...input, start_time: now - LIST_WINDOW_S, end_time: now }
  }

  cached(address: string, text: string): string {
    if (this.#current.stale_cache === 0) return text
    const first = this.#cached.get(address)
    if (first === undefined) this.#cached.set(address, text)
    return first !== undefined && this.occurs('stale_cache') ? first : text
  }

  corruptData(operation: string, data: unknown, cursor: string | undefined): unknown {
    if (this.occurs('wrong_payload')) return WRONG
    if (data instanceof Page) return this.#corruptPage(operation, data, cursor)
    if (this.occurs('wrong_shape')) return WRONG
    if (operation !== 'member/list') return data
    const list = data as { readonly items: readonly object[] }
    return { ...list, items: this.#corruptRows(operation, list.items) }
  }

  #corruptPage(operation: string, data: Page, cursor: string | undefined): Page {
    if (this.occurs('empty')) return new Page([], 0, false, undefined)
    const items = this.#corruptRows(operation, data.items)
    const spoil = (field: RegExp, by: string) => {
      const k = this.pick(items.length)
      items[k] = items[k]!.replace(field, by)
    }
    if (items.length > 0 && this.occurs('wrong_shape'))
      spoil(/"start_time":\s*-?\d+/, '"start_time":"yesterday"')
    if (items.length > 0 && this.occurs('future_clock'))
      spoil(/"updated_at":\s*\d+/, `"updated_at":${FUTURE}`)
    const next = data.hasNext && cursor !== undefined && this.occurs('repeat_cursor') ? cursor : data.cursor
    return new Page(items, data.total, data.hasNext, next)
  }

  /** @param own rows as JSON texts of incidents, or as records of members */
  #corruptRows<Row extends string | object>(operation: string, own: readonly Row[]): Row[] {
    const rows = [...own]
    if (rows.length === 0) return rows
    const before = this.#lastRows.get(operation) as Row | undefined
    this.#lastRows.set(operation, rows.at(-1)!)
    if (this.occurs('duplicate_row')) rows.push(rows[this.pick(rows.length)]!)
    if (rows.length > 1 && this.occurs('drop_row')) rows.splice(this.pick(rows.length), 1)
    if (before !== undefined && this.occurs('shifted_page'))
      rows.splice(0, rows.length, before, ...rows.slice(0, -1))
    if (rows.length > 1 && this.occurs('foreign_account')) {
      const k = this.pick(rows.length)
      rows[k] = ofAnotherAccount(rows[k]!)
    }
    return rows
  }

  corruptBody(body: Buffer): Buffer {
    if (!this.occurs('malformed')) return body
    // Keeps the first byte, because the response must begin like any response from the service.
    const at = 1 + this.pick(body.length - 1)
    return Buffer.concat([body.subarray(0, at), Buffer.of(1), body.subarray(at)])
  }

  #draw(): number {
    return unit(this.#seed, this.#drawn++, 900)
  }
}

function ofAnotherAccount<Row extends string | object>(row: Row): Row {
  if (typeof row === 'string')
    return row.replace(/"account_id":\s*(\d+)/, (_, id) => `"account_id":${Number(id) + 1}`) as Row
  const { account_id: id } = row as { account_id?: unknown }
  return { ...(row as object), account_id: Number(id) + 1 } as Row
}
