import type { TableColumn } from '../spec.ts'
import type { Inline, Part, Tone } from './inline-text.ts'
import type { QueryResult, Value } from './query-result.ts'

/** The change of a figure against the previous period, and whether it is more than noise. */
export interface Change {
  tone: Tone
  /** `up` and `down` only when 99 % speak for it. */
  direction: 'up' | 'down' | 'none'
  /** `10 %`, `5 pp`; empty without a direction. */
  amount: string
  /** One word everywhere: `faster`, `possibly faster`, `about the same`, `no clear change`, `too uncertain to tell`, or why nothing is compared. */
  verdict: string
  /** The same for a sentence: `10 % faster`, `not clearly faster or slower`. */
  words: string
  /** The 95 % interval of the change; empty when nothing is compared. */
  note: string
  /** There were none in the previous period: what came from none has not grown. */
  isFromNone?: boolean
  /** Null when nothing is compared. */
  previous: readonly Part[] | null
  /** What is left of it at the same mix of severities, where that says something else; empty or absent where not. */
  mix?: string
  /** How far the verdict reaches: what would not have shown, and that weeks hang together; empty or absent where neither is so. */
  reach?: string
}

/** A card: a figure, what it rests on, how it changed and what it should be. */
export interface KpiCard {
  label: string
  value: readonly Part[]
  /** Incidents behind the value, where the card counts them. */
  n: number | null
  /** Lower and upper end of the 95 % interval. */
  interval: readonly [readonly Part[], readonly Part[]] | null
  change: Change | null
  /** `isNoise`: meeting or missing it could be chance, as the interval includes the target, or there are too few (`isFew`); `isDefault`: nobody set it. */
  target: { text: string; met: boolean; isNoise?: boolean; isFew?: boolean; isDefault?: boolean } | null
  trend: readonly { at: string; value: number | null }[]
  /** The list of the incidents that it counts, as `Links` has it. */
  link?: string | null
}

/** The usual range of single values, and whether there are enough of them to call one unusual. */
export interface UsualRange {
  low: number
  centre: number
  high: number
  /** Points it was computed from. */
  points: number
  judged: boolean
  /** `by means of 26 points`, or why no value is called unusual. */
  note: string
}

/** Which list of incidents each row leads to: its id, and in a page its address. */
export type Links = ReadonlyMap<readonly Value[], string>

/** What a report found, most important first: its lead. */
export interface FindingsBlock {
  kind: 'findings'
  /** Up to three sentences, each with the `section` that proves it, null where none does. */
  lines: readonly { text: readonly Inline[]; section: string | null }[]
  /** What else is red on the page; may be empty. */
  also: readonly Inline[]
  /** How `rest` begins: `In all: `, or that no change stands out. */
  start: string
  rest: readonly Inline[]
  /** Below it, what is no news: goals that are missed again or that nobody set, and what a machine does; may be empty. */
  standing: readonly Inline[]
  /** What waits for somebody now, where the page is of a period; may be empty. */
  open: readonly Inline[]
  /** What a team can do, without `Next: `; may be empty. */
  next: readonly Inline[]
}

/** A table of a page: a query's rows, by the columns that are shown. */
export interface TableBlock {
  kind: 'table'
  section?: string
  title: readonly Inline[]
  subtitle: readonly Inline[]
  columns: readonly TableColumn[]
  data: QueryResult
  /** Text in place of an empty table. */
  empty: string
  /** Most rows to show; the CSV file has all. */
  limit: number
  /** Of the columns that lead to incidents. */
  links?: ReadonlyMap<string, Links>
}
