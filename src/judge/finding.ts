import type { KpiCard } from '../render/result.ts'

/** A row of the macro `findings`, with its card if it comes from one. */
export interface Finding {
  kind: string
  topic: string
  key: string
  subject: string | null
  within: string | null
  value: number | null
  before: number | null
  n: number | null
  estimate: number | null
  isWorse: boolean
  detail: string | null
  amount: number | null
  /** Only tested findings are statistical. Facts need no test. */
  isTested: boolean
  /** Another finding implies this one. */
  givesWay: boolean
  /** The objective is built in. */
  isDefault: boolean
  /** The objective was missed in both previous periods too. */
  isStanding: boolean
  /** Its change differs significantly from that of its peers. Null if it was not compared with peers. */
  isApart: boolean | null
  /** The alert with at least half of the incidents and of their increase, and the number of its incidents. */
  cause: string | null
  causeN: number | null
  url: string | null
  card: KpiCard | null
  list?: string | null
  listBefore?: string | null
}

export const dimensionOf = (topic: string) => (topic.startsWith('dimension ') ? topic.slice(10) : null)

/** A significantly long run of days without incidents. `to` is the day after it, or null if it continues. */
export interface Gap {
  from: string
  to: string | null
  days: number
  perWeek: number
}
