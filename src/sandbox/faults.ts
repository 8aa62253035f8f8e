import { z } from 'zod'
import { Page } from './answer.ts'
import { unit } from './random.ts'

const share = z.number().min(0).max(1).default(0)

/** Faults that the sandbox injects: probabilities from 0 to 1, and a delay. Default: none. */
export const faultsSchema = z.strictObject({
  /** Answers RequestTooFrequently although the limits are kept. */
  status_429: share,
  /** The same without Retry-After, even where the sandbox gives it otherwise. */
  status_429_bare: share,
  status_500: share,
  /** Cuts the connection without an answer. */
  reset: share,
  /** Announces the whole body, sends half of it, and cuts the connection. */
  truncate: share,
  /** A whole answer that is not JSON: somewhere in it stands a byte that JSON does not allow. */
  malformed: share,
  /** Waits a random time up to this many milliseconds before each answer. */
  slow_ms: z.number().min(0).max(600_000).default(0),
  /** One row (or the whole payload of another operation) is not of the documented shape. */
  wrong_shape: share,
  /** The whole payload is not of the documented shape, whatever the operation. */
  wrong_payload: share,
  /** incident/list gives back the cursor it was asked with. */
  repeat_cursor: share,
  /** incident/list gives one row twice, or leaves one out. */
  duplicate_row: share,
  drop_row: share,
  /** incident/list says that there is nothing, as it would with a lost index or to a key with fewer rights. */
  empty: share,
  /** One row of incident/list was changed 80 years from now. */
  future_clock: share,
})
export type Faults = z.output<typeof faultsSchema>
type Kind = Exclude<keyof Faults, 'slow_ms'>

const WRONG = 'not what was promised'

/** The last second of 32 bits, in 2106. */
const FUTURE = 4_294_967_295

/** Draws faults from a seed: the same requests in the same order meet the same faults. */
export class FaultInjector {
  readonly #seed: number
  #drawn = 0
  current: Faults

  constructor(seed: number, faults: Faults) {
    this.#seed = seed
    this.current = faults
  }

  occurs(kind: Kind): boolean {
    const chance = this.current[kind]
    return chance > 0 && this.#draw() < chance
  }

  delayMs(): number {
    return this.current.slow_ms === 0 ? 0 : this.#draw() * this.current.slow_ms
  }

  /** The data of a successful answer with the faults of data. `cursor` is the one of the request. */
  corruptData(data: unknown, cursor: string | undefined): unknown {
    if (this.occurs('wrong_payload')) return WRONG
    if (!(data instanceof Page)) return this.occurs('wrong_shape') ? WRONG : data
    if (this.occurs('empty')) return new Page([], 0, false, undefined)
    const items = [...data.items]
    if (items.length > 0) {
      const at = () => Math.floor(this.#draw() * items.length)
      if (this.occurs('duplicate_row')) items.push(items[at()]!)
      if (this.occurs('drop_row')) items.splice(at(), 1)
      if (items.length > 0 && this.occurs('wrong_shape')) {
        const k = at()
        items[k] = items[k]!.replace(/"start_time":\s*-?\d+/, '"start_time":"yesterday"')
      }
      if (items.length > 0 && this.occurs('future_clock')) {
        const k = at()
        items[k] = items[k]!.replace(/"updated_at":\s*\d+/, `"updated_at":${FUTURE}`)
      }
    }
    const next = data.hasNext && cursor !== undefined && this.occurs('repeat_cursor') ? cursor : data.cursor
    return new Page(items, data.total, data.hasNext, next)
  }

  /** The body as it is sent: as it was, or with one byte in it that no JSON text holds. */
  corruptBody(body: Buffer): Buffer {
    if (!this.occurs('malformed')) return body
    // After the first byte: the answer begins like one of the service.
    const at = 1 + Math.floor(this.#draw() * (body.length - 1))
    return Buffer.concat([body.subarray(0, at), Buffer.of(1), body.subarray(at)])
  }

  #draw(): number {
    return unit(this.#seed, this.#drawn++, 900)
  }
}
