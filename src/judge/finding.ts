import type { CardFigure } from './card-figures.ts'

/** A row of the macro `findings`. If the finding is about a card, includes the card’s figure. */
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
  /** Only for a missed objective: the share within target without the incidents of a spike, if that meets it. */
  part: number | null
  /** Whether the finding is the result of a statistical test. Facts need no test. */
  isTested: boolean
  /** Whether another finding implies this one. */
  givesWay: boolean
  /** Why the candidate is not a finding of its own. Otherwise null. */
  reason: string | null
  /** Whether the finding was already true before this period. */
  isStanding: boolean
  /** Whether the change differs significantly from that of its peers. Null if it was not compared with peers. */
  isApart: boolean | null
  /** The alert behind at least half of the incidents and of their increase. `causeN` is its number of incidents. */
  cause: string | null
  causeN: number | null
  /** Approximate day on which the alert became more frequent. Null if the 95% CI is longer than three weeks. */
  causeSince: string | null
  url: string | null
  /** The team of an unacknowledged incident. */
  owner: string | null
  card: CardFigure | null
}

export const dimensionOf = (topic: string) => (topic.startsWith('dimension ') ? topic.slice(10) : null)

/** A run of days without incidents that is too long to be chance. `to` is the day after it, or null if it continues. */
export interface Gap {
  from: string
  to: string | null
  days: number
  perWeek: number
}
