/** What the service holds of one kind of record, now and at every moment before: what a judge compares a copy with. */
export class Chronicle<One extends object> {
  readonly #versions = new Map<string, Version<One>[]>()

  /** The record as it is from this moment on. Moments only grow. */
  put(id: string, record: One, moment: number): void {
    this.#add(id, { from: moment, record })
  }

  /** The service has it no longer. */
  remove(id: string, moment: number): void {
    this.#add(id, { from: moment, record: null })
  }

  /** The record as it is; undefined when there is none. */
  get(id: string): One | undefined {
    return this.#versions.get(id)?.at(-1)?.record ?? undefined
  }

  /** Every id that ever was. */
  ids(): Iterable<string> {
    return this.#versions.keys()
  }

  /** What is there now. */
  records(): One[] {
    return [...this.#versions.values()].flatMap((versions) => versions.at(-1)!.record ?? [])
  }

  /** What it was at any moment of a stretch, both ends included; null where it was not there. */
  between(id: string, from: number, to: number): Version<One>[] {
    const versions = this.#versions.get(id) ?? []
    const within = versions.filter(
      (version, k) => version.from <= to && (versions[k + 1]?.from ?? Number.POSITIVE_INFINITY) > from,
    )
    const isYounger = versions.length === 0 || versions[0]!.from > from
    return isYounger ? [{ from: Number.NEGATIVE_INFINITY, record: null }, ...within] : within
  }

  #add(id: string, version: Version<One>) {
    const versions = this.#versions.get(id)
    if (versions === undefined) this.#versions.set(id, [version])
    else versions.push(version)
  }
}

/** A record, or that there was none, from a moment on. */
export interface Version<One> {
  readonly from: number
  readonly record: One | null
}
