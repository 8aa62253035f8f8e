import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportResult } from '../render/result.ts'
import type { Site, Way } from '../render/site-html.ts'
import { ALL_TEAMS, summaryOf } from '../render/summary.ts'
import { keptPages } from './history.ts'
import { pastPages, presentPages } from './present-pages.ts'

/** The report that all teams are on. */
const TEAMS = 'team-overview'

/**
 * Where a page of the folder leads besides: to all reports, to the periods before and after, and to the teams.
 * @param key of a page of a named period, see `pageKey`
 * @param made reports whose pages come with this one
 */
export function siteOf(out: string, result: ReportResult, key: string | null, made: readonly string[]): Site {
  const up = key === null ? '' : '../'
  const { period } = summaryOf(result)
  const others = [
    ...pastPages(out, result.name),
    ...(key === null ? [] : presentPages(out).filter(({ summary }) => summary.report === result.name)),
    ...keptPages(out)
      .filter(({ summary }) => summary.report === result.name && summary.teams === ALL_TEAMS)
      .map(({ summary, path }) => ({ summary, page: `${path}.html` })),
  ]
  const way = (found: (typeof others)[number] | undefined): Way | null =>
    found ? { href: up + encoded(found.page), text: found.summary.period.label } : null
  const byEnd = others.toSorted((a, b) => (a.summary.period.to < b.summary.period.to ? -1 : 1))
  const isThere = result.name !== TEAMS && (made.includes(TEAMS) || existsSync(join(out, `${TEAMS}.html`)))
  return {
    all: { href: `${up}index.html`, text: 'All reports' },
    previous: way(byEnd.findLast(({ summary }) => summary.period.to < period.to)),
    next: key === null ? null : way(byEnd.find(({ summary }) => summary.period.to > period.to)),
    teams: isThere ? { href: `${up}${TEAMS}.html`, text: 'Teams' } : null,
  }
}

/** The same of a page that is kept: to all reports, and to the one that was kept before. */
export function siteOfKept(out: string, result: ReportResult): Site {
  const { period } = summaryOf(result)
  const before = keptPages(out).find(
    ({ summary }) =>
      summary.report === result.name && summary.teams === ALL_TEAMS && summary.period.to < period.to,
  )
  const previous = before && {
    href: `../../${encoded(`${before.path}.html`)}`,
    text: before.summary.period.label,
  }
  return {
    all: { href: '../../index.html', text: 'All reports' },
    previous: previous ?? null,
    next: null,
    teams: null,
  }
}

/** The same of a page of one team, or of its index. @param team its name; null on its index
 */
export function siteOfTeam(out: string, team: string | null, hasIndex = true): Site {
  return {
    all: { href: '../../index.html', text: 'All reports' },
    previous: null,
    next: null,
    teams: existsSync(join(out, `${TEAMS}.html`)) ? { href: `../../${TEAMS}.html`, text: 'Teams' } : null,
    ...(team === null || !hasIndex ? {} : { own: { href: 'index.html', text: team } }),
  }
}

const encoded = (page: string) => page.split('/').map(encodeURIComponent).join('/')
