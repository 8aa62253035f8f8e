import { dimensionOf } from '../../judge/finding.ts'
import { type FormatContext, format, plain } from '../../render/format.ts'
import type { Inline, KpiCard } from '../../render/result.ts'
import { shorten } from '../../render/sanitize-text.ts'
import { capital } from '../../render/text.ts'
import { dataKinds, dataSentence } from './data-sentences.ts'
import {
  done,
  figuresIn,
  isNew,
  led,
  NAME_MAX,
  NO_CHANNEL,
  othersOf,
  rounded,
  type SaidFinding,
  say,
  text,
} from './sentence-parts.ts'

const TITLE_MAX = 90

/** Links to an incident with its title, which is cut between words if it is too long. */
function incident(finding: SaidFinding, max = TITLE_MAX): Inline {
  const whole = finding.subject ?? ''
  const cut = shorten(whole, max)
  return linked(cut === whole ? whole : cut.replace(/\s+\S*…$/, ' …'), finding)
}

function linked(words: string, { url }: SaidFinding): Inline {
  const text = { kind: 'text', text: words } as const
  return url ? { kind: 'link', href: url, content: [text] } : text
}

/** Returns a finding as a sentence. Names are always plain text. */
export function sentenceOf(finding: SaidFinding, context: FormatContext): Inline[] {
  const { kind, subject, within, value, before, amount, isWorse } = finding
  const { figure, number } = figuresIn(context)
  const now = (of: Inline) => led(of, finding.list)
  const name = (text: string | null) => shorten(text ?? '', NAME_MAX)
  if (dataKinds.includes(kind)) return dataSentence(finding, context)
  if (facts.includes(kind)) return factSentence(finding, context)
  switch (kind) {
    case 'unattended':
      return value === 1
        ? say`Nobody has acknowledged ${incident(finding)} (${within!}), open for ${figure(amount, 'duration')}.`
        : say`${now(number(value))} high-severity incidents are unacknowledged past their target. The most urgent is ${incident(finding)} (${within!}), open for ${figure(amount, 'duration')}.`
    case 'ageing':
      return say`${now(number(value))} of ${number(before)} open incidents are more than a week old.`
    case 'goal':
      if (finding.card)
        return say`${finding.card.label}: ${cardValue(finding)}; the objective is ${finding.card.target!.text}.`
      return finding.isTested
        ? say`${name(subject)} ${done(within)} ${now(figure(value, 'percent'))} of its incidents within target (objective: ${figure(before, 'percent')}${mark(finding, context)}).`
        : say`${now(figure(value, 'percent'))} of ${subject === null ? '' : `${subject} `}incidents were ${done(within)} within target (objective: ${figure(before, 'percent')}${mark(finding, context)}).`
    case 'burst':
      return say`Spike ${within === 'day' ? 'on' : 'in the week of'} ${figure(finding.detail, 'date')}: ${now(number(value))} incidents${before === null ? '' : ` (usual: ${text(rounded(before), 'number', context)} per week)`}${subject === null ? '' : `, nearly all from ${name(subject)}`}${causeOf(finding, context)}.`
    case 'concentrated':
      return say`One of ${number(amount)} people in ${name(within)} received ${now(number(value))} of the team’s ${led(number(before), finding.listBefore)} night pages.`
    case 'week':
    case 'month': {
      const span = kind === 'week' ? 'the last week' : 'the last four weeks'
      if (isNew(finding)) return newText(finding, ` in ${span}`, context)
      const when = `in ${span} (${rounded(before!) === 0 ? 'none in the weeks before' : `usual: ${text(before!, 'number', context)}`})`
      return finding.cause === null || finding.isApart === false
        ? say`${capital(countOf(finding))}: ${now(number(value))} ${when}${beside(finding)}${causeOf(finding, context)}.`
        : say`${causeCount(finding, context, 'All')} of the ${now(number(value))} ${countOf(finding)} ${when} are ${alertOf(finding, context)}.`
    }
    case 'outside':
      if (isNew(finding)) return newText(finding, '', context)
      return before === 0
        ? say`${capital(countOf(finding))}: ${now(number(value))}, up from none in the previous period${beside(finding)}${causeOf(finding, context)}.`
        : movedSentence(finding, led(number(before), finding.listBefore), now(number(value)), context)
    case 'most':
      return say`${number(value)} of ${number(before)} teams ${isWorse ? 'took longer' : 'were faster'} to ${finding.topic} than in the previous period.`
    case 'trend':
      return say`${subject === 'all' ? 'Incidents' : `${subject} incidents`} are ${isWorse ? 'rising' : 'falling'} by ${figure(Math.abs(finding.estimate! - 1), 'percent')} every four weeks.`
    default:
      if (finding.card) return cardSentence(finding.card, finding)
      if (before === null)
        return say`${name(subject)} was faster to ${finding.topic} (median ${figure(value, 'duration')}; previously, more than half took longer than the observed time)${beside(finding)}.`
      if (value === null)
        return say`${name(subject)} took longer to ${finding.topic} (more than half are not ${done(finding.topic)} yet; previous median ${figure(before, 'duration')})${beside(finding)}.`
      return say`${name(subject)} ${pace(finding, context)} to ${finding.topic} (median ${figure(value, 'duration')}, previously ${figure(before, 'duration')})${beside(finding)}.`
  }
}

const facts = ['mix', 'unreviewed', 'in_time', 'dominant', 'never_closed', 'new', 'timer', 'apart', 'behind']

/** Describes a fact that did not change. */
function factSentence(finding: SaidFinding, context: FormatContext): Inline[] {
  const { kind, topic, subject, value, before, amount, list, isStanding, detail } = finding
  const { figure, number } = figuresIn(context)
  const count = led(number(value), list)
  const name = shorten(subject ?? '', NAME_MAX)
  const similar = isStanding ? ', all along' : ''
  switch (kind) {
    case 'dominant':
      return topic === 'families'
        ? say`${count} of ${number(before)} incidents are one alert${amount === null ? '' : `, at ${String(amount).padStart(2, '0')}:00`}: ${name}.`
        : say`${count} of ${number(before)} incidents are ${topic === 'sources' ? 'from' : 'owned by'} ${name}.`
    case 'never_closed':
      return say`${count} of ${number(before)} incidents are still open a week after they started.`
    case 'unreviewed':
      return say`${count} of ${number(before)} Critical incidents closed more than a week ago have no post-mortem.`
    case 'mix':
      return say`The severity mix changed within the period: ${name} ${value! > before! ? 'rose' : 'fell'} from ${figure(before, 'percent')} to ${figure(value, 'percent')} of incidents.`
    case 'in_time':
      return say`${name} acknowledged ${figure(value, 'percent')} of its incidents within target (previously ${figure(before, 'percent')}).`
    case 'behind':
      return say`${name} acknowledges ${figure(value, 'percent')} of its incidents${detail === 'any' ? '' : ' within target'}; the other teams ${figure(before, 'percent')}${similar}.`
    case 'new': {
      const since = figure(detail, 'date')
      return before! >= value!
        ? say`${name}, new since ${since}, account for ${count} of ${number(before)} additional incidents.`
        : say`${name} are new since ${since}: ${count} incidents.`
    }
    case 'timer':
      return say`${count} of ${number(before)} closed incidents were closed after exactly ${figure(amount, 'duration')}, which looks like a timer.`
    default:
      return say`${name} takes ${figure(value, 'duration')} to ${topic}; the other teams ${othersOf(finding, context)}${similar}.`
  }
}

/** If the other teams (or channels, hours …) changed similarly, mentions them to avoid singling out one of them. */
const beside = ({ isApart, topic }: SaidFinding) =>
  isApart === false ? `, not significantly different from ${peersOf(topic)}` : ''

const causeOf = (finding: SaidFinding, context: FormatContext) =>
  finding.cause === null ? '' : say`; ${causeCount(finding, context)} are ${alertOf(finding, context)}`

const causeCount = ({ causeN, value, listCause }: SaidFinding, context: FormatContext, all = 'all') =>
  causeN === value ? all : led({ kind: 'value', parts: format(causeN, 'number', context) }, listCause)

function alertOf({ cause, causeSince }: SaidFinding, context: FormatContext): string {
  const since = causeSince === null ? '' : `, up since about ${plain(format(causeSince, 'date', context))}`
  return `one alert: ${shorten(cause!, NAME_MAX)}${since}`
}

const peers: Record<string, string> = {
  teams: 'the other teams',
  acknowledge: 'the other teams',
  resolve: 'the other teams',
  sources: 'the other channels',
  severities: 'the other severities',
  hours: 'the other hours',
}
const peersOf = (topic: string) => peers[topic] ?? 'the others'

function newText(
  { topic, subject, detail, value, list }: SaidFinding,
  when: string,
  context: FormatContext,
): Inline[] {
  const since: Inline = { kind: 'value', parts: format(detail, 'date', context) }
  const count = led({ kind: 'value', parts: format(value, 'number', context) }, list)
  const name = `${topic === 'sources' ? 'The channel ' : ''}${shorten(subject ?? '', NAME_MAX)}`
  return say`${name} was first seen on ${since}: ${count} ${value === 1 ? 'incident' : 'incidents'}${when}.`
}

const cardValue = ({ card, list }: SaidFinding): Inline => led({ kind: 'value', parts: card!.value }, list)

function cardSentence(card: KpiCard, finding: SaidFinding): Inline[] {
  if (card.change!.isFromNone)
    return say`${card.label}: ${cardValue(finding)}, up from none in the previous period.`
  const previous = led({ kind: 'value', parts: card.change!.previous ?? [] }, finding.listBefore)
  const { words, mix, direction } = card.change!
  const but = mix ? `, but ${mix}` : ''
  // With periods of unequal length, the count can rise although the daily rate falls.
  const isClear = direction !== 'none' && finding.value! > finding.before! === (direction === 'up')
  return isClear
    ? say`${card.label} ${direction === 'up' ? 'rose' : 'fell'} from ${previous} to ${cardValue(finding)}${but}.`
    : say`${card.label}: ${cardValue(finding)}, previously ${previous} (${words}${but}).`
}

const mark = ({ isStanding, part }: SaidFinding, context: FormatContext) =>
  `${isStanding ? '; also missed before' : ''}${part === null ? '' : `; without the spike: ${plain(format(part, 'percent', context))}, met`}`

/**
 * Describes incidents that are currently unacknowledged past their target, even if they started outside the period.
 * @param isNamed whether to name the most urgent incident. Readers of a report about a month do not respond to it.
 */
export function waitingText(finding: SaidFinding, context: FormatContext, isNamed = true): Inline[] {
  const { value, within, amount, list, owner } = finding
  const age: Inline = { kind: 'value', parts: format(amount, 'duration', context) }
  const name = incident(finding, 45)
  const team = owner === null || owner === NO_CHANNEL ? '' : ` (${shorten(owner, NAME_MAX)})`
  if (value === 1)
    return isNamed
      ? say`A ${within!} incident has been unacknowledged for ${age}: ${name}${team}.`
      : say`${linked(`A ${within!} incident`, finding)} has been unacknowledged for ${age}${team}.`
  const count = led({ kind: 'value', parts: format(value, 'number', context) }, list)
  const many = say`${count} high-severity incidents are unacknowledged past their target.`
  return isNamed ? [...many, ...say` The most urgent is ${name}${team}.`] : many
}

export function countOf({ topic, subject }: SaidFinding): string {
  const name = shorten(subject ?? '', NAME_MAX)
  const words: Record<string, string> = {
    teams: `incidents owned by ${name}`,
    sources: subject === NO_CHANNEL ? 'incidents without a channel' : `incidents from ${name}`,
    severities: `${name} incidents`,
    hours: `incidents that started between ${name}:00 and ${(Number(name) + 1) % 24}:00`,
  }
  const dimension = dimensionOf(topic)
  return words[topic] ?? (dimension === null ? 'incidents' : `incidents with ${dimension} ${name}`)
}

/** Mentions the daily rate only if it moved in the other direction, because the periods differ in length. */
function movedSentence(finding: SaidFinding, from: Inline, to: Inline, context: FormatContext): Inline[] {
  const ratio = finding.estimate!
  const verb = moved(ratio, finding.value! / finding.before!)
  const rate =
    verb === 'went'
      ? ` (${ratio > 1 ? '+' : '−'}${text(Math.abs(ratio - 1), 'percent', context)} per day)`
      : ''
  return say`${capital(countOf(finding))} ${verb} from ${from} to ${to}${rate}${beside(finding)}${causeOf(finding, context)}.`
}

/** Returns `went` if the count rose but the daily rate fell, or the reverse, because the periods differ in length. */
export function moved(ratio: number, ratioOfCounts: number): string {
  if (ratio > 1 !== ratioOfCounts > 1) return 'went'
  return ratio > 1 ? 'rose' : 'fell'
}

function pace({ estimate, isWorse }: SaidFinding, context: FormatContext): string {
  if (estimate === null) return isWorse ? 'took longer' : 'was faster'
  if (estimate >= 2) return `took ${text(estimate, 'number', context)} times as long`
  const percent = text(Math.abs(estimate - 1), 'percent', context)
  return isWorse ? `took ${percent} longer` : `was ${percent} faster`
}

/** Names the red cards that are not in the lead, in one sentence. Empty if there are none. */
export function alsoText(red: readonly SaidFinding[]): Inline[] {
  return red.flatMap((one, index): Inline[] => [
    { kind: 'text', text: `${index === 0 ? 'Also: ' : '; '}${one.card!.label} ` },
    cardValue(one),
    {
      kind: 'text',
      text: `${one.kind === 'goal' ? ` (objective: ${one.card!.target!.text})` : `, ${one.card!.change!.words}`}${index === red.length - 1 ? '.' : ''}`,
    },
  ])
}
