/**
 * All versions of the service's records of one kind, such as incidents. The judges compare the warehouse with these
 * versions.
 */
export class Chronicle<One extends object> {
  readonly #versions = new Map<string, Version<One>[]>()

  /** Stores the content of a record from `moment` (the number of changes so far) on. `moment` must never decrease. */
  put(id: string, record: One, moment: number): void {
    this.#add(id, { from: moment, record })
  }

  remove(id: string, moment: number): void {
    this.#add(id, { from: moment, record: null })
  }

  get(id: string): One | undefined {
    return this.#versions.get(id)?.at(-1)?.record ?? undefined
  }

  /** Every id that ever existed. */
  ids(): Iterable<string> {
    return this.#versions.keys()
  }

  records(): One[] {
    return [...this.#versions.values()].flatMap((versions) => versions.at(-1)!.record ?? [])
  }

  /**
   * Returns all versions that existed between two moments, both included. A version has a null record while the record
   * did not exist.
   */
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

/** The content of a record from the moment `from` until the next version, or null if the record did not exist then. */
export interface Version<One> {
  readonly from: number
  readonly record: One | null
}
