import { chartHtml } from '../render/chart-html.ts'
import { columns } from '../render/charts/columns.ts'
import { countText, type FormatContext, figureText, format } from '../render/format.ts'
import { type Child, h, type Markup } from '../render/html.ts'
import { kpisHtml } from '../render/kpi-html.ts'
import { ruleItems, sqlLines } from '../render/methodology-html.ts'
import { page } from '../render/page-head.ts'
import { exploreStyle } from '../render/page-style.ts'
import type { Frame, KpiCard, Value } from '../render/result.ts'
import { shorten } from '../render/sanitize-text.ts'
import { ALONE } from '../render/table-html.ts'
import { capital } from '../render/text.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import type { Rows } from '../warehouse/read/rows.ts'
import { type Counted, facetHtml, type Person, peopleHtml } from './facet-html.ts'
import { addressOf, EVER, type Filter, NOTHING, parametersOf, toggled } from './filter.ts'
import type { Population } from './incident-snapshot.ts'
import { listHtml } from './list-html.ts'
import { bucketPeriod } from './period-range.ts'
import { type Asked, listSql, writtenOut } from './statements.ts'

/** Query results for one Explore page. */
export interface Found {
  readonly figures: Readonly<Record<string, Cell>>
  readonly history: Rows
  readonly unit: 'day' | 'week' | 'month'
  readonly values: ReadonlyMap<string, readonly Counted[]>
  readonly people: readonly Person[]
  readonly list: Rows
}

/** Renders the Explore page of a filter. */
export function explorePage(asked: Asked, found: Found, population: Population): string {
  const { filter, days } = asked
  const frame = frameOf(asked, population)
  const context = { timezone: frame.timezone, year: frame.asOf.slice(0, 4) }
  const total = Number(found.figures.incidents)
  const main = h(
    'main',
    { id: 'main' },
    h('h1', {}, 'Explore'),
    factsHtml(frame),
    periodsHtml(asked),
    searchHtml(filter),
    chosenHtml(asked, found.people),
    h('h2', { class: 'unseen' }, 'Figures'),
    kpisHtml(cardsOf(found.figures, filter), frame),
    aboutHtml(asked, found.figures),
    historyHtml(found, filter, frame, context),
    h('h2', { id: 'facets' }, 'Filter'),
    h(
      'div',
      { class: 'facets' },
      asked.facets.map((facet) => facetHtml(facet, found.values.get(facet.name) ?? [], filter)),
    ),
    peopleHtml(found.people, filter),
    h('h2', { id: 'incidents' }, `Incidents: ${countText(total)}`),
    waysHtml(asked),
    listHtml(found.list, filter, total, context),
    countedHtml(asked, population),
  )
  const skip = h('a', { class: 'skip', href: '#incidents' }, 'Skip to list')
  const site = h('nav', { class: 'site', 'aria-label': 'Other pages' }, h('a', { href: '/' }, 'All reports'))
  return page([skip, site, main], `Explore · ${days.label}`, exploreStyle, 'self')
}

/** Renders a page that shows only a message, for errors. */
export function wordsPage(title: string, sentences: readonly string[]): string {
  const lines = sentences.map((text) => h('p', {}, text))
  const back = h('p', {}, h('a', { href: '/explore' }, 'All incidents of the last 13 weeks'))
  return page(h('main', { id: 'main' }, h('h1', {}, title), lines, back), title, exploreStyle, 'self')
}

function frameOf({ days }: Asked, { zone, asOf, local }: Population): Frame {
  return {
    ...{ timezone: zone, from: days.from, to: days.to, asOf: local, asOfInstant: asOf },
    ...{ label: days.label, span: days.span, previousLabel: null },
    ...{ accounts: null, teams: '', severities: '', coverage: '' },
  }
}

function factsHtml(frame: Frame): Markup {
  const asOf = `data as of ${figureText('time', frame)(frame.asOf)}`
  const facts = [frame.timezone, asOf].map((text) => h('li', {}, text))
  return h('ul', { class: 'facts' }, h('li', {}, h('b', {}, frame.label), ` (${frame.span})`), facts)
}

const PERIODS = ['this week', 'this month', 'this quarter', '13 weeks', EVER]

function periodsHtml({ filter, days }: Asked): Markup {
  const to = (period: string, words: Child, label?: string) =>
    h(
      'a',
      {
        href: addressOf({ ...filter, period, page: 1 }),
        'aria-current': period === filter.period ? 'true' : null,
        'aria-label': label,
      },
      words,
    )
  return h(
    'nav',
    { class: 'periods', 'aria-label': 'Period' },
    days.before !== null && to(days.before, '‹ Previous', 'Previous period'),
    PERIODS.map((period) => to(period, capital(period))),
    days.after !== null && to(days.after, 'Next ›', 'Next period'),
  )
}

/** A plain form. Hidden inputs carry the other filters. */
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
  const person = people.find((one) => one.person === filter.person)
  const parts: [words: string, without: Filter][] = [
    ...facets.flatMap((facet) =>
      (filter.chosen.get(facet.name) ?? []).map((value): [string, Filter] => [
        `${facet.label}: ${facet.words(value)}`,
        toggled(filter, facet.name, value),
      ]),
    ),
    ...(filter.person === null
      ? []
      : [
          [`Person: ${person?.name ?? filter.person}`, { ...filter, person: null, page: 1 }] as [
            string,
            Filter,
          ],
        ]),
    ...(filter.title === ''
      ? []
      : [[`Title: ${filter.title}`, { ...filter, title: '', page: 1 }] as [string, Filter]]),
  ]
  if (parts.length === 0) return null
  const item = ([words, without]: (typeof parts)[number]) =>
    h(
      'li',
      {},
      h(
        'a',
        { href: addressOf(without), 'aria-label': `Remove filter: ${words}` },
        `${shorten(words, 80)} ✕`,
      ),
    )
  const none = h(
    'li',
    {},
    h('a', { href: addressOf({ ...NOTHING, period: filter.period }) }, 'Clear all filters'),
  )
  return h(
    'ul',
    { class: 'chosen', 'aria-label': 'Active filters' },
    parts.map(item),
    parts.length > 1 && none,
  )
}

function cardsOf(figures: Found['figures'], { person }: Filter): KpiCard[] {
  const rest = { change: null, target: null, trend: [], n: null, interval: null }
  const count = (label: string, value: Value): KpiCard => ({
    ...rest,
    label,
    value: format(value, 'number', CARD),
  })
  const time = (label: string, name: string): KpiCard => {
    const shown = (column: string) => format(figures[column] ?? null, 'duration', CARD)
    const [low, high] = [figures[`${name}_low`], figures[`${name}_high`]]
    const hasEnds = low !== null && low !== undefined && high !== null && high !== undefined
    return {
      ...rest,
      label,
      value: shown(name),
      n: Number(figures[`${name}_n`] ?? 0),
      interval: hasEnds ? [shown(`${name}_low`), shown(`${name}_high`)] : null,
    }
  }
  const incidents = count('Incidents', figures.incidents ?? 0)
  const open = count('Open', figures.open ?? 0)
  if (person !== null) return [incidents, open]
  return [incidents, time('Time to acknowledge', 'tta'), time('Time to resolve', 'ttr'), open]
}

const CARD: FormatContext = { timezone: 'UTC', year: '' }

function aboutHtml({ filter }: Asked, figures: Found['figures']): Child {
  if (filter.person !== null)
    return h('p', { class: 'sub' }, 'Counts only. Times, changes and rankings are not shown for individuals.')
  return h('p', { class: 'sub' }, [
    `Times are medians. ${resolveNote(figures)}`,
    filter.period !== EVER && [
      ' ',
      h('a', { href: addressOf({ ...filter, page: 1, all: null }, '/explore/change') }, 'Is this a change?'),
    ],
  ])
}

/** Explains which incidents the time to resolve covers, by the rule of `resolve_time`. */
function resolveNote(figures: Found['figures']): string {
  if (Number(figures.ttr_n ?? 0) === 0) return 'No incident of this selection was handled by a person.'
  if (figures.is_survival !== true)
    return 'Time to resolve covers closed incidents; fewer than 10% are still open.'
  return figures.ttr === null
    ? 'Time to resolve is not reached, because too many incidents are still open.'
    : 'Time to resolve is estimated by survival (Kaplan-Meier), because at least 10% are still open.'
}

function historyHtml({ history, unit }: Found, filter: Filter, frame: Frame, context: FormatContext): Markup {
  const links = new Map(
    history.rows.map((row) => [
      row as readonly Value[],
      addressOf({ ...filter, period: bucketPeriod(unit, String(row[0])), page: 1 }),
    ]),
  )
  const block = {
    ...{ kind: 'chart' as const, width: 'full' as const, rules: [], subtitle: [], links },
    title: [{ kind: 'text' as const, text: `Incidents by ${unit}` }],
    spec: columns.spec.parse({ type: 'columns', x: unit, y: 'incidents' }),
    data: { name: 'history', sql: '', ...history },
  }
  return chartHtml(block, frame, context, ALONE)
}

function waysHtml(asked: Asked): Markup {
  const { filter, days } = asked
  const lasting = filter.period === EVER ? EVER : `${days.from}..${days.to}`
  return h(
    'p',
    { class: 'ways' },
    h(
      'a',
      { href: addressOf({ ...filter, page: 1, all: null }, '/explore/incidents.csv') },
      'Download all as CSV',
    ),
    h('a', { href: addressOf({ ...filter, period: lasting }) }, 'Permalink (fixed dates)'),
  )
}

function countedHtml(asked: Asked, { rules, zone }: Population): Markup {
  return h(
    'section',
    { class: 'counted' },
    h(
      'details',
      {},
      h('summary', {}, h('h2', {}, 'Definitions and SQL')),
      h('dl', {}, ruleItems(rules)),
      h('h3', {}, 'SQL for this list (`faultline sql`)'),
      h('pre', {}, h('code', {}, sqlLines(writtenOut(listSql(asked, zone))))),
    ),
  )
}
