import { dataAsOf } from '../page/sentences/period-sentences.ts'
import { NO_REPORTS, NOTHING_UNUSUAL, SAME_FINDING } from '../page/sentences/summary-sentences.ts'
import { format, localTime, plain } from './format.ts'
import { type Child, h, type Markup, table } from './html.ts'
import { page } from './page-head.ts'
import { type Site, siteHtml } from './site-html.ts'
import { problemsOf, type ReportSummary, scopeOf } from './summary.ts'
import { safeLink } from './text.ts'

export interface IndexEntry {
  readonly summary: ReportSummary
  /** Address of the page, relative to the index. */
  readonly page: string
}

export interface IndexReport {
  readonly latest: IndexEntry
  readonly history: readonly IndexEntry[]
}

export interface IndexTeam {
  readonly team: string
  /** Address of the team’s index, URL-encoded and relative to the main index. */
  readonly page: string
  readonly summaries?: readonly ReportSummary[]
}

export function toIndex(
  reports: readonly IndexReport[],
  now: Date,
  teams: readonly IndexTeam[] = [],
): string {
  const factsOf = (summary: ReportSummary) => factsOfReport(summary, now)
  const urgent = mostUrgent(reports.map(({ latest }) => latest.summary))
  const main = h(
    'main',
    { 'data-explore': '' },
    h('h1', {}, 'Reports'),
    h(
      'ul',
      { class: 'facts' },
      commonTo(reports, factsOf).map((fact) => h('li', {}, fact)),
    ),
    banners(commonTo(reports, problemsOf)),
    urgent && h('p', { class: 'urgent' }, safeLink(urgent.open_url ?? '', urgent.urgent)),
    reports.length === 0
      ? h('p', { class: 'nothing' }, NO_REPORTS)
      : reportsHtml(reports, now, urgent?.urgent),
    teams.length > 0 && teamsHtml(teams),
    reports.flatMap(({ latest, history }) => (history.length > 0 ? historyHtml(latest, history, now) : [])),
  )
  return page(main, 'Reports')
}

/** Returns a report about what needs attention. Only the newest data shows which incidents are still open. */
function mostUrgent(summaries: readonly ReportSummary[]): ReportSummary | undefined {
  const newest = summaries
    .map(({ as_of }) => as_of)
    .sort()
    .at(-1)
  return summaries.find(({ as_of, urgent }) => urgent && as_of === newest)
}

export function toPageList(
  heading: string,
  pages: readonly { readonly page: string; readonly title: string; readonly description: string }[],
  site: Site | null = null,
): string {
  const entry = ({ page, title, description }: (typeof pages)[number]) => [
    h('h2', {}, h('a', { href: page }, title)),
    description !== '' && h('p', {}, description),
  ]
  const main = h('main', {}, h('h1', {}, heading), pages.map(entry))
  return page([siteHtml(site), main], heading)
}

function factsOfReport(summary: ReportSummary, now: Date): string[] {
  return [
    dataAsOf(local(summary, now), age(summary, now)),
    summary.period.timezone,
    ...scopeOf(summary),
    summary.incomplete ?? [],
  ].flat()
}

/** Returns the texts that all reports have in common, which the index shows only once. */
function commonTo(reports: readonly IndexReport[], textsOf: (summary: ReportSummary) => string[]): string[] {
  const [first, ...others] = reports.map(({ latest }) => textsOf(latest.summary))
  return others.length === 0 || !first
    ? []
    : first.filter((text) => others.every((one) => one.includes(text)))
}

const banners = (notes: readonly string[]) => notes.map((text) => h('p', { class: 'banner' }, text))

/** Renders the latest reports. Each row shows the report’s first finding that is not above it. */
function reportsHtml(reports: readonly IndexReport[], now: Date, urgent = ''): Markup {
  const said = new Set([urgent])
  const common = commonTo(reports, (summary) => factsOfReport(summary, now))
  const commonNotes = commonTo(reports, problemsOf)
  return table(
    ['Report', 'Period', 'Finding'],
    reports.map(({ latest }) => {
      const { summary } = latest
      const { opening, findings, lead, verdict } = summary
      const shown = opening === '' ? [lead[0] ?? verdict] : []
      const finding = (findings.length === 0 ? shown : findings).find((one) => !said.has(one))
      if (finding !== undefined) said.add(finding)
      const short = finding !== undefined && finding === findings[0] ? summary.headline : ''
      const notes = problemsOf(summary).filter((note) => !commonNotes.includes(note))
      const facts = factsOfReport(summary, now).filter((fact) => !common.includes(fact))
      return [
        ['wrap', h('b', {}, pageLink(latest, summary.title))],
        ['', [summary.period.label, facts.map((fact) => h('small', { class: 'basis' }, fact))]],
        [
          'wrap',
          [
            [opening, short === '' ? finding : `${short}.`].filter(Boolean).join(' ') || SAME_FINDING,
            banners(notes),
          ],
        ],
      ]
    }),
  )
}

/** Teams with a finding come first. */
function teamsHtml(teams: readonly IndexTeam[]): Child {
  const rows = teams.map((team) => {
    const [finding] = (team.summaries ?? []).flatMap(({ findings, gates, verdict, is_empty }) => [
      ...problemsOf({ gates, warnings: [] }),
      ...findings,
      ...(is_empty ? [verdict] : []),
    ])
    return { ...team, finding }
  })
  return [
    h('h2', {}, 'By team'),
    table(
      ['Team', 'Finding'],
      rows
        .toSorted((a, b) => Number(b.finding !== undefined) - Number(a.finding !== undefined))
        .map(({ team, page, finding }) => [
          ['wrap', h('a', { href: page }, team)],
          ['wrap', finding ?? NOTHING_UNUSUAL],
        ]),
    ),
  ]
}

function historyHtml({ summary }: IndexEntry, history: readonly IndexEntry[], now: Date): Markup {
  return h(
    'details',
    {},
    h(
      'summary',
      {},
      `${summary.title}: ${history.length} earlier ${history.length === 1 ? 'report' : 'reports'}`,
    ),
    table(
      ['Period', 'Result'],
      history.map((entry) => {
        const scope = scopeOf(entry.summary)
        const period = pageLink(entry, entry.summary.period.label)
        return [
          ['fit', [period, scope.map((name) => [h('br'), name])]],
          ['wrap', entry.summary.verdict],
          ['fit later', local(entry.summary, now)],
        ]
      }),
      ['Data as of'],
    ),
  )
}

function pageLink({ page }: IndexEntry, text: string): Markup {
  return h('a', { href: page.split('/').map(encodeURIComponent).join('/') }, text)
}

function local({ as_of, period }: ReportSummary, now: Date): string {
  const time = localTime(new Date(as_of), period.timezone)
  return plain(format(time, 'time', { timezone: period.timezone, year: String(now.getUTCFullYear()) }))
}

/** Returns the age of the data in minutes. */
const age = ({ as_of }: ReportSummary, now: Date) => Math.round((now.getTime() - Date.parse(as_of)) / 60_000)
