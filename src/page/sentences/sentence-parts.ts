import type { Finding } from '../../judge/finding.ts'
import { type FormatContext, format, plain, plainRange } from '../../render/format.ts'
import type { Inline, KpiCard } from '../../render/result.ts'
import type { Format } from '../../render/spec.ts'
import { inlineText } from '../../render/text.ts'
import type { Reference } from '../../report/parse/block-schema.ts'

/** A finding with its drawn card, or with the lists of its incidents. */
export interface SaidFinding extends Omit<Finding, 'card'> {
  card: KpiCard | null
  /** The column with the trend of the card. */
  trend?: Reference | undefined
  list?: string | null
  listBefore?: string | null
  listCause?: string | null
}

/** The name that SQL in `sql/` gives to incidents without a channel. */
export const NO_CHANNEL = '(no channel)'

/** Whether a subject is new. It then has no earlier incidents, and thus no expected value. */
export const isNew = ({ topic, detail, isWorse }: SaidFinding) =>
  isWorse && detail !== null && topic !== 'counts'

/** Maximum length of a name. Titles of alerts are used as names, and can be long. */
export const NAME_MAX = 60

/** Builds a sentence from texts and values. A name that was cut ends with `…`, which needs no full stop. */
export function say(
  strings: TemplateStringsArray,
  ...values: (Inline | readonly Inline[] | string)[]
): Inline[] {
  const parts = strings.flatMap((text, index) => {
    const one = values[index] ?? ''
    return [
      { kind: 'text', text } as const,
      ...(typeof one === 'string' ? [{ kind: 'text', text: one } as const] : [one].flat()),
    ]
  })
  const said = parts.filter((part) => part.kind !== 'text' || part.text !== '')
  return /…\.$/.test(inlineText(said)) && inlineText(said.slice(-1)) === '.' ? said.slice(0, -1) : said
}

/** Rounds a mean: to one decimal below 10, and otherwise to an integer. */
export const rounded = (value: number) => (value < 10 ? Math.round(value * 10) / 10 : Math.round(value))

export const text = (value: number | string | null, as: Format, context: FormatContext) =>
  plain(format(as === 'number' && typeof value === 'number' ? rounded(value) : value, as, context))

/** Returns functions that format the figures of a sentence. Counts are rounded like means. */
export function figuresIn(context: FormatContext) {
  const figure = (of: number | string | null, as: Format): Inline => ({
    kind: 'value',
    parts: format(of, as, context),
  })
  return { figure, number: (of: number | null) => figure(of === null ? null : rounded(of), 'number') }
}

/** Returns the range of the other teams’ medians in whole minutes, such as `9–13 min`, or else the median of all. */
export function othersOf(
  { part, amount, before }: Pick<Finding, 'part' | 'amount' | 'before'>,
  context: FormatContext,
): string {
  const whole = (seconds: number) => (seconds < 120 ? seconds : 60 * Math.round(seconds / 60))
  const [least, most] = [part ?? before!, amount ?? before!].map((of) =>
    format(whole(of), 'duration', context),
  )
  return plain(least!) === plain(most!) ? plain(most!) : plainRange(least!, most!)
}

/** Links a number to the list of its incidents. */
export const led = (number: Inline, list: string | null | undefined): Inline =>
  number.kind === 'value' && list ? { ...number, list } : number

/** Begins a label in lower case. Labels such as `SLA misses` keep their capitals. */
export const withinSentence = (label: string) =>
  /^.\p{Lu}/u.test(label) ? label : `${label.charAt(0).toLowerCase()}${label.slice(1)}`

export const done = (measure: string | null) => (measure === 'resolve' ? 'resolved' : 'acknowledged')
