import { durationParts, format, localTime, plain } from './format.ts'
import { type Child, h, type Markup, render, tableHead } from './html.ts'
import { pageHead } from './page-head.ts'
import { ALL_TEAMS, type ReportSummary, scopeOf } from './summary.ts'

/** A kept page. */
export interface IndexEntry {
  readonly summary: ReportSummary
  /** Address of the page, seen from the index. */
  readonly page: string
}

/** A report in the index. */
export interface IndexReport {
  readonly latest: IndexEntry
  /** Its other periods, newest first. */
  readonly history: readonly IndexEntry[]
}

/** A team with pages of its own. */
export interface IndexTeam {
  readonly team: string
  /** Address of its index, seen from the index of all; each part is encoded. */
  readonly page: string
}

/**
 * The page that lists the reports of a folder, in the order given: the last verdict of each, its period, the age of its data, and the pages
 * of earlier periods. Like them it has no script and loads nothing.
 * @param now when the page is made
 */
export function toIndex(
  reports: readonly IndexReport[],
  now: Date,
  teams: readonly IndexTeam[] = [],
): string {
  const body = h(
    'body',
    {},
    h(
      'main',
      {},
      h('h1', {}, 'Reports'),
      h(
        'ul',
        { class: 'facts' },
        h('li', {}, `as of ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`),
      ),
      reports.length === 0
        ? h('p', { class: 'nothing' }, 'No report was delivered yet.')
        : reports.map((report) => reportHtml(report, now)),
      teams.length > 0 && [
        h('h2', {}, 'By team'),
        h(
          'ul',
          { class: 'facts' },
          teams.map(({ team, page }) => h('li', {}, h('a', { href: page }, team))),
        ),
      ],
    ),
  )
  return `<!doctype html>\n${render(h('html', { lang: 'en' }, pageHead('Reports'), body))}\n`
}

/** A page that leads to others: of a team or an account to its reports, of all accounts to theirs, or on from a former address. */
export function toPageList(
  heading: string,
  pages: readonly { readonly page: string; readonly title: string; readonly description: string }[],
  lead = '',
): string {
  const entry = ({ page, title, description }: (typeof pages)[number]) => [
    h('h3', {}, h('a', { href: page }, title)),
    description !== '' && h('p', {}, description),
  ]
  const main = h('main', {}, h('h1', {}, heading), lead !== '' && h('p', {}, lead), pages.map(entry))
  return `<!doctype html>\n${render(h('html', { lang: 'en' }, pageHead(heading), h('body', {}, main)))}\n`
}

function reportHtml({ latest, history }: IndexReport, now: Date): Markup {
  const { summary } = latest
  return h(
    'section',
    {},
    h('h2', {}, summary.period.label),
    h('h3', {}, pageLink(latest, summary.title)),
    summary.verdict !== '' && h('p', {}, summary.verdict),
    summary.gates.map(({ message }) => h('p', { class: 'banner' }, message)),
    summary.warnings.map((warning) => h('p', { class: 'banner' }, warning)),
    h(
      'ul',
      { class: 'facts' },
      h('li', {}, `data as of ${local(summary, now)}, ${age(summary, now)} before this page was made`),
      h('li', {}, summary.period.timezone),
      scopeOf(summary).map((name) => h('li', {}, name)),
      h('li', {}, summary.coverage),
    ),
    history.length > 0 && historyHtml(history, now),
  )
}

function historyHtml(history: readonly IndexEntry[], now: Date): Child {
  return h(
    'details',
    {},
    h('summary', {}, `${history.length} earlier ${history.length === 1 ? 'page' : 'pages'}`),
    h(
      'table',
      {},
      tableHead(['Period', 'Verdict'], ['Data as of']),
      h(
        'tbody',
        {},
        history.map((entry) =>
          h(
            'tr',
            {},
            h(
              'td',
              { class: 'fit' },
              pageLink(entry, entry.summary.period.label),
              scopeOf(entry.summary)
                .filter((name) => name !== ALL_TEAMS)
                .map((name) => [h('br'), name]),
            ),
            h('td', { class: 'wrap' }, entry.summary.verdict),
            h('td', { class: 'fit later' }, local(entry.summary, now)),
          ),
        ),
      ),
    ),
  )
}

/** A relative link, each part of the path encoded. */
function pageLink({ page }: IndexEntry, text: string): Markup {
  return h('a', { href: page.split('/').map(encodeURIComponent).join('/') }, text)
}

function local({ as_of, period }: ReportSummary, now: Date): string {
  const time = localTime(new Date(as_of), period.timezone)
  return plain(format(time, 'time', { timezone: period.timezone, year: String(now.getUTCFullYear()) }))
}

function age({ as_of }: ReportSummary, now: Date): string {
  return plain(durationParts(Math.max(0, Math.round((now.getTime() - Date.parse(as_of)) / 60_000) * 60)))
}
