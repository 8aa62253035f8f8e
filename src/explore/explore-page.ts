import {
  COUNTS_ONLY,
  IS_CHANGE,
  LIST_SQL,
  timesNote,
  VALID_PART,
} from '../page/sentences/explore-sentences.ts'
import { dataAsOf, rangeText } from '../page/sentences/period-sentences.ts'
import { patterns } from '../render/drawing/category.ts'
import { countText, type FormatContext, figureText, format } from '../render/format.ts'
import { type Child, h, type Markup } from '../render/html.ts'
import { kpisHtml } from '../render/kpi-html.ts'
import { ruleItems, sqlLines } from '../render/methodology-html.ts'
import { page } from '../render/page-head.ts'
import { exploreStyle } from '../render/page-style.ts'
import type { Frame, KpiCard } from '../render/result.ts'
import { shorten } from '../render/sanitize-text.ts'
import { capital } from '../render/text.ts'
import { states } from '../report/incidents/explorer-link.ts'
import { periodLabel } from '../report/scope/frame-text.ts'
import type { Rows } from '../warehouse/read/rows.ts'
import { breakdownHtml, type Part } from './breakdown-html.ts'
import { type Charted, type Figures, historyHtml, trendsHtml } from './charts-html.ts'
import { type Counted, facetHtml, type Person, peopleHtml } from './facet-html.ts'
import { addressOf, EVER, type Filter, NOTHING, parametersOf, SHIFT, toggled } from './filter.ts'
import type { Population } from './incident-snapshot.ts'
import { linkHtml } from './link-html.ts'
import { listHtml } from './list-html.ts'
import { type Asked, listSql, writtenOut } from './statements.ts'

/** Query results for one Explore page. */
export interface Found extends Charted {
  /** Figures of the previous period. Null if the data does not cover it. */
  readonly before: Figures | null
  readonly parts: readonly Part[]
  readonly values: ReadonlyMap<string, readonly Counted[]>
  readonly people: readonly Person[]
  readonly list: Rows
}

/** Minimum number of incidents for which the page shows charts of medians and shares over time. */
const TREND_LEAST = 20

export function explorePage(asked: Asked, found: Found, population: Population): string {
  const { filter, days } = asked
  const frame = frameOf(asked, population)
  const context = { timezone: frame.timezone, year: frame.asOf.slice(0, 4) }
  const total = Number(found.figures.incidents)
  const facets = asked.facets.map((facet) => facetHtml(facet, found.values.get(facet.name) ?? [], filter))
  const content = [
    h('h2', { class: 'unseen' }, 'Figures'),
    kpisHtml(cardsOf(found, filter), frame),
    aboutHtml(asked, found),
    historyHtml(found, filter, frame, context),
    total >= TREND_LEAST && trendsHtml(found, frame, context),
    breakdownHtml(asked, found.parts),
    peopleHtml(found.people, filter),
    h('h2', { id: 'incidents' }, `Incidents: ${countText(total)}`),
    waysHtml(asked),
    listHtml(found.list, filter, total, context),
    countedHtml(asked, population),
  ]
  const main = h(
    'main',
    { id: 'main' },
    h('h1', {}, 'Explore'),
    factsHtml(frame),
    periodsHtml(asked),
    searchHtml(filter),
    chosenHtml(asked, found.people),
    h('p', { class: 'to-facets' }, h('a', { href: '#facets' }, 'Filter')),
    h(
      'div',
      { class: 'explored' },
      h('section', { id: 'facets', class: 'facets' }, h('h2', {}, 'Filter'), facets),
      h('div', {}, content),
    ),
    patterns(),
  )
  const skip = h('a', { class: 'skip', href: '#incidents' }, 'Skip to list')
  return page([skip, site, main], `Explore · ${days.label}`, exploreStyle, 'self')
}

const site = h('nav', { class: 'site', 'aria-label': 'Other pages' }, h('a', { href: '/' }, 'All reports'))

/** @param kept the filter without its invalid part. Null if nothing remains. */
export function wordsPage(title: string, sentences: readonly string[], kept: Filter | null): string {
  const back = [
    ...(kept === null ? [] : [linkHtml(kept, VALID_PART)]),
    linkHtml(NOTHING, `All incidents, ${NOTHING.period}`),
  ]
  const lines = [...sentences, ...back].map((line) => h('p', {}, line))
  return page([site, h('main', { id: 'main' }, h('h1', {}, title), lines)], title, exploreStyle, 'self')
}

function frameOf({ days }: Asked, { zone, asOf, local }: Population): Frame {
  return {
    ...{ timezone: zone, from: days.from, to: days.to, asOf: local, asOfInstant: asOf },
    ...{ label: days.label, span: days.span, previousLabel: null },
    ...{ accounts: null, teams: '', severities: '', coverage: '' },
  }
}

function factsHtml(frame: Frame): Markup {
  const asOf = dataAsOf(figureText('time', frame)(frame.asOf))
  const facts = [frame.timezone, asOf].map((text) => h('li', {}, text))
  return h('ul', { class: 'facts' }, h('li', {}, h('b', {}, rangeText(frame))), facts)
}

const PERIODS = [NOTHING.period, 'this week', 'this month', 'this quarter', EVER]
const OPEN_NOW = { ...NOTHING, chosen: new Map([['state', states.slice(0, 2)]]), period: EVER }
const THIS_SHIFT = { ...NOTHING, period: SHIFT }

function periodsHtml({ filter, days }: Asked): Markup {
  const link = (one: Filter, words: string, label?: string) =>
    linkHtml(one, words, addressOf(one) === addressOf({ ...filter, page: 1 }), label)
  const to = (period: string) => ({ ...filter, period, page: 1 })
  return h(
    'nav',
    { class: 'periods', 'aria-label': 'Period' },
    link(OPEN_NOW, 'Open now'),
    link(THIS_SHIFT, 'This shift'),
    days.before !== null && link(to(days.before), '‹ Previous', 'Previous period'),
    PERIODS.map((period) => link(to(period), capital(period))),
    days.after !== null && link(to(days.after), 'Next ›', 'Next period'),
  )
}

/** Hidden inputs keep the other filters when the form is sent. */
function searchHtml(filter: Filter): Markup {
  const others = parametersOf({ ...filter, title: '', page: 1 })
  return h(
    'form',
    { action: '/explore', method: 'get', role: 'search' },
    h('label', { for: 'title' }, 'Title contains'),
    h('input', { id: 'title', name: 'title', type: 'search', value: filter.title, maxlength: '300' }),
    others.map(([name, value]) => h('input', { type: 'hidden', name, value })),
    h('button', { type: 'submit' }, 'Search'),
  )
}

function chosenHtml({ filter, facets }: Asked, people: readonly Person[]): Child {
  const { chosen, person, title, period } = filter
  const parts: [words: string, without: Filter][] = facets.flatMap((facet) =>
    (chosen.get(facet.name) ?? []).map((value): (typeof parts)[number] => [
      `${facet.label}: ${facet.words(value)}`,
      toggled(filter, facet.name, value),
    ]),
  )
  const name = people.find((one) => one.person === person)?.name ?? person
  if (person !== null) parts.push([`Person: ${name}`, { ...filter, person: null, page: 1 }])
  if (title !== '') parts.push([`Title: ${title}`, { ...filter, title: '', page: 1 }])
  if (parts.length === 0) return null
  const items = parts.map(([words, without]) =>
    h('li', {}, linkHtml(without, `${shorten(words, 80)} ✕`, false, `Remove filter: ${words}`)),
  )
  const none = h('li', {}, linkHtml({ ...NOTHING, period }, 'Clear all filters'))
  return h('ul', { class: 'chosen', 'aria-label': 'Active filters' }, items, parts.length > 1 && none)
}

function cardsOf({ figures, before }: Found, { person }: Filter): KpiCard[] {
  const card = (label: string, name: string, as: 'number' | 'duration', hasPrevious = true): KpiCard => {
    const previous = before?.[name] ?? null
    const change = { tone: 'same', direction: 'none', amount: '', verdict: '', words: '', note: '' } as const
    return {
      ...{ label, interval: null, target: null, trend: [] },
      value: format(figures[name] ?? null, as, CARD),
      n: as === 'number' ? null : Number(figures[`${name}_n`] ?? 0),
      change: hasPrevious && previous !== null ? { ...change, previous: format(previous, as, CARD) } : null,
    }
  }
  const incidents = card('Incidents', 'incidents', 'number')
  const open = card('Open', 'open', 'number', false)
  if (person !== null) return [incidents, open]
  const times = [card('Time to acknowledge', 'tta', 'duration'), card('Time to resolve', 'ttr', 'duration')]
  return [incidents, ...times, open]
}

const CARD: FormatContext = { timezone: 'UTC', year: '' }

function aboutHtml({ filter, days }: Asked, { figures, before }: Found): Child {
  const previous = before !== null && days.previous && `Previous: ${periodLabel(days.previous)}. `
  const href = addressOf({ ...filter, page: 1, all: null }, '/explore/change')
  const words =
    filter.person === null
      ? [timesNote(figures), days.isComparable && [' ', h('a', { href }, IS_CHANGE)]]
      : COUNTS_ONLY
  return h('p', { class: 'sub' }, previous, words)
}

function waysHtml({ filter, days }: Asked): Markup {
  const period = filter.period === EVER ? EVER : `${days.from}..${days.to}`
  const csv = addressOf({ ...filter, page: 1, all: null }, '/explore/incidents.csv')
  return h(
    'p',
    { class: 'ways' },
    h('a', { href: csv }, 'Download all as CSV'),
    filter.period !== SHIFT && linkHtml({ ...filter, period }, 'Permalink (fixed dates)'),
  )
}

function countedHtml(asked: Asked, { rules, zone }: Population): Markup {
  const content = [
    h('summary', {}, h('h2', {}, 'Definitions and SQL')),
    h('dl', {}, ruleItems(rules)),
    h('h3', {}, LIST_SQL),
    h('pre', {}, h('code', {}, sqlLines(writtenOut(listSql(asked, zone))))),
  ]
  return h('section', { class: 'counted' }, h('details', {}, content))
}
