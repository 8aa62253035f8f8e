import { type FormatContext, format, plain } from '../../render/format.ts'
import type { Inline, KpiCard } from '../../render/result.ts'
import { shorten } from '../../render/sanitize-text.ts'
import type { Format } from '../../render/spec.ts'

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
  /** Another finding implies it. */
  givesWay: boolean
  /** The objective is built in. */
  isDefault: boolean
  /** The objective was missed in both previous periods too. */
  isStanding: boolean
  /** It moved clearly differently from its peers. Null if there is no comparison with peers. */
  isApart: boolean | null
  url: string | null
  card: KpiCard | null
  list?: string | null
  listBefore?: string | null
}

/** Channel name in `sql/` for incidents without a channel. */
export const NO_CHANNEL = '(no channel)'
/** Limited, because titles come from alerts. */
export const NAME_MAX = 60

function say(strings: TemplateStringsArray, ...values: (Inline | string)[]): Inline[] {
  return strings.flatMap((text, index) => {
    const one = values[index]
    return [
      ...(text === '' ? [] : [{ kind: 'text', text } as const]),
      ...(one === undefined ? [] : [typeof one === 'string' ? ({ kind: 'text', text: one } as const) : one]),
    ]
  })
}

const TITLE_MAX = 90

/** Links an incident by its title, which is cut at a word boundary. */
function incident({ subject, url }: Finding): Inline {
  const whole = subject ?? ''
  const cut = shorten(whole, TITLE_MAX)
  const title = cut === whole ? whole : cut.replace(/\s+\S*…$/, ' …')
  const text = { kind: 'text', text: title } as const
  return url ? { kind: 'link', href: url, content: [text] } : text
}

/** Words a finding as a sentence. Names are always plain text. */
export function sentenceOf(finding: Finding, context: FormatContext): Inline[] {
  const { kind, subject, within, value, before, amount, isWorse } = finding
  const figure = (of: number | string | null, as: Format): Inline => ({
    kind: 'value',
    parts: format(of, as, context),
  })
  const number = (of: number | null) => figure(of === null ? null : rounded(of), 'number')
  const now = (of: Inline) => led(of, finding.list)
  const name = (text: string | null) => shorten(text ?? '', NAME_MAX)
  switch (kind) {
    case 'unattended':
      return value === 1
        ? say`Nobody has acknowledged ${incident(finding)} (${within!}), open for ${figure(amount, 'duration')}.`
        : say`Nobody has acknowledged ${now(number(value))} serious open incidents; the worst is ${incident(finding)} (${within!}), open for ${figure(amount, 'duration')}.`
    case 'ageing':
      return say`${now(number(value))} of ${number(before)} open incidents are older than a week.`
    case 'goal':
      if (finding.card)
        return say`${finding.card.label}: ${cardValue(finding)}; it should be ${finding.card.target!.text}.`
      return finding.isTested
        ? say`${name(subject)} ${done(within)} ${now(figure(value, 'percent'))} in time; the goal is ${figure(before, 'percent')}${mark(finding)}.`
        : say`${now(figure(value, 'percent'))} of ${subject === null ? '' : `${subject} `}incidents were ${done(within)} in time; the goal is ${figure(before, 'percent')}${mark(finding)}.`
    case 'data':
      return dataSentence(finding, context)
    case 'burst':
      return say`${now(number(value))} incidents came ${within === 'day' ? 'on' : 'in the week of'} ${figure(finding.detail, 'date')}${subject === null ? '' : `, nearly all from ${name(subject)}`}; ${number(before)} a week is usual.`
    case 'concentrated':
      // No name, because mails and chats spread this sentence. The table of people has it.
      return say`One of the ${number(amount)} people of ${name(within)} got ${now(number(value))} of its ${number(before)} pages at night.`
    case 'week':
    case 'month': {
      const [span, usual] =
        kind === 'week' ? ['the last week', 'a week'] : ['the last four weeks', 'in as many']
      if (isNew(finding)) return newText(finding, ` in ${span}`, context)
      const came = say`${capital(countOf(finding))} came to ${now(number(value))} in ${span}; `
      return rounded(before!) === 0
        ? [...came, ...say`there were none in the weeks before${beside(finding)}.`]
        : [...came, ...say`${number(before)} ${usual} is usual${beside(finding)}.`]
    }
    case 'outside':
      if (isNew(finding)) return newText(finding, '', context)
      return before === 0
        ? say`${capital(countOf(finding))} came to ${now(number(value))}; there were none before${beside(finding)}.`
        : say`${capital(countOf(finding))} ${moved(finding, context)}, from ${led(number(before), finding.listBefore)} to ${now(number(value))}${beside(finding)}.`
    case 'most':
      return say`${number(value)} of ${number(before)} teams ${isWorse ? 'took longer' : 'were faster'} to ${finding.topic} than before.`
    case 'trend':
      return say`${subject === 'all' ? 'Incidents' : `${subject} incidents`} are ${isWorse ? 'rising' : 'falling'}: ${figure(Math.abs(finding.estimate! - 1), 'percent')} ${isWorse ? 'more' : 'fewer'} every four weeks.`
    default:
      if (finding.card) return cardSentence(finding.card, finding)
      if (before === null)
        return say`${name(subject)} was faster to ${finding.topic}: half within ${figure(value, 'duration')}; before, half took longer than was watched${beside(finding)}.`
      if (value === null)
        return say`${name(subject)} took longer to ${finding.topic}: half are not done yet; before, half were within ${figure(before, 'duration')}${beside(finding)}.`
      return say`${name(subject)} ${pace(finding, context)} to ${finding.topic}: half within ${figure(value, 'duration')}, before within ${figure(before, 'duration')}${beside(finding)}.`
  }
}

/** States that the peers moved similarly, so that nobody is singled out. */
const beside = ({ isApart }: Finding) => (isApart === false ? '; the others do not clearly differ' : '')

/** Checks for a subject without any earlier incidents, which has no expected value. */
const isNew = ({ topic, detail, isWorse }: Finding) => isWorse && detail !== null && topic !== 'counts'

function newText({ subject, detail, value, list }: Finding, when: string, context: FormatContext): Inline[] {
  const since: Inline = { kind: 'value', parts: format(detail, 'date', context) }
  const count = led({ kind: 'value', parts: format(value, 'number', context) }, list)
  return say`${shorten(subject ?? '', NAME_MAX)} is new since ${since}: ${count} ${value === 1 ? 'incident' : 'incidents'}${when}.`
}

/** Means get one decimal below 10 and none above. */
const rounded = (value: number) => (value < 10 ? Math.round(value * 10) / 10 : Math.round(value))

const led = (number: Inline, list: string | null | undefined): Inline =>
  number.kind === 'value' && list ? { ...number, list } : number

const cardValue = ({ card, list }: Finding): Inline => led({ kind: 'value', parts: card!.value }, list)

function cardSentence(card: KpiCard, finding: Finding): Inline[] {
  if (card.change!.isFromNone) return say`${card.label}: ${cardValue(finding)}; there were none before.`
  const previous: Inline = { kind: 'value', parts: card.change!.previous ?? [] }
  const { words, mix } = card.change!
  return say`${card.label}: ${cardValue(finding)}, ${words} than before (${previous})${mix ? `, but ${mix}` : ''}.`
}

function dataSentence(
  { topic, subject, value, before, detail, list }: Finding,
  context: FormatContext,
): Inline[] {
  const number = (of: number | null): Inline => ({ kind: 'value', parts: format(of, 'number', context) })
  if (topic === 'machine')
    return say`A machine ${done(subject)} ${led(number(value), list)} of ${number(before)} incidents in the second they began: such a time says nothing of people.`
  if (topic === 'unused')
    return say`Nobody has ever acknowledged an incident, so acknowledgement is not judged.`
  return gapSentence({ from: subject!, days: value!, perWeek: before!, to: detail }, context)
}

/** A significantly long run of days without incidents. `to` is the day after it, or null if it continues. */
interface Gap {
  from: string
  to: string | null
  days: number
  perWeek: number
}

/** Such as `No incident has come for 50 days, since 8 Oct; 28 a week is usual.` */
export function gapSentence({ from, to, days, perWeek }: Gap, context: FormatContext): Inline[] {
  const number = (of: number): Inline => ({ kind: 'value', parts: format(of, 'number', context) })
  const since: Inline = { kind: 'value', parts: format(from, 'date', context) }
  const usual = number(rounded(perWeek))
  return to === null
    ? say`No incident has come for ${number(days)} days, since ${since}; ${usual} a week is usual.`
    : say`No incident came for ${number(days)} days from ${since} on; ${usual} a week is usual.`
}

const mark = ({ isDefault, isStanding }: Finding) =>
  isDefault ? ' (default)' : isStanding ? ', and was missed twice before' : ''

/** Words known conditions in one line. May be empty. */
export function standingText(standing: readonly Finding[], context: FormatContext): Inline[] {
  return standing
    .slice(0, 2)
    .flatMap((one, index): Inline[] => [
      ...(index === 0 ? [] : [{ kind: 'text', text: ' ' } as const]),
      ...sentenceOf(one, context),
    ])
}

/** Words what waits now, independent of the period, such as `1 serious incident waits: F9FE2D.` */
export function waitingText(finding: Finding, context: FormatContext): Inline[] {
  const { value, list } = finding
  const count = led({ kind: 'value', parts: format(value, 'number', context) }, list)
  const name = incident(finding)
  return value === 1
    ? say`${count} serious incident waits: ${name}.`
    : say`${count} serious incidents wait; the worst is ${name}.`
}

export const done = (measure: string | null) => (measure === 'resolve' ? 'resolved' : 'acknowledged')

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function countOf({ topic, subject }: Finding): string {
  const name = shorten(subject ?? '', NAME_MAX)
  const words: Record<string, string> = {
    teams: `incidents of ${name}`,
    sources: subject === NO_CHANNEL ? 'incidents without a channel' : `incidents from ${name}`,
    severities: `${name} incidents`,
    hours: `incidents that began between ${name}:00 and ${(Number(name) + 1) % 24}:00`,
  }
  const dimension = dimensionOf(topic)
  return words[topic] ?? (dimension === null ? 'incidents' : `incidents of ${dimension} ${name}`)
}

export const dimensionOf = (topic: string) => (topic.startsWith('dimension ') ? topic.slice(10) : null)

/**
 * Words a ratio, such as `tripled` or `fell 30 %`. If the periods differ in length, it names the daily rate, because
 * the counts next to it have another ratio.
 */
function moved({ estimate, value, before }: Finding, context: FormatContext): string {
  const ratio = estimate!
  const isDaily = Math.abs(value! / before! / ratio - 1) > 0.005
  const often = isDaily ? ' per day' : ''
  if (Math.abs(ratio - 2) < 0.05) return `doubled${often}`
  if (Math.abs(ratio - 3) < 0.05) return `tripled${often}`
  if (Math.abs(ratio - 0.5) < 0.01) return `halved${often}`
  if (ratio > 2)
    return `rose to ${text(ratio, 'number', context)} times ${isDaily ? 'the daily rate' : 'as many'}`
  return `${ratio > 1 ? 'rose' : 'fell'} ${text(Math.abs(ratio - 1), 'percent', context)}${often}`
}

function pace({ estimate, isWorse }: Finding, context: FormatContext): string {
  if (estimate === null) return isWorse ? 'took longer' : 'was faster'
  if (estimate >= 2) return `took ${text(estimate, 'number', context)} times as long`
  const percent = text(Math.abs(estimate - 1), 'percent', context)
  return isWorse ? `took ${percent} longer` : `was ${percent} faster`
}

export const text = (value: number, as: Format, context: FormatContext) =>
  plain(format(as === 'number' ? rounded(value) : value, as, context))

/** Names red cards outside of the lead in one sentence. May be empty. */
export function alsoText(red: readonly Finding[]): Inline[] {
  return red.flatMap((one, index): Inline[] => [
    { kind: 'text', text: `${index === 0 ? 'Also: ' : '; '}${one.card!.label} ` },
    cardValue(one),
    {
      kind: 'text',
      text: `, ${one.kind === 'goal' ? `not ${one.card!.target!.text}` : one.card!.change!.words}${index === red.length - 1 ? '.' : ''}`,
    },
  ])
}
