import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportResult } from '../render/result.ts'
import type { Site, Way } from '../render/site-html.ts'
import { ALL_TEAMS, summaryOf } from '../render/summary.ts'
import { pastPages, presentPages } from './current-pages.ts'
import { keptPages } from './history.ts'
import type { ReportPart } from './output-folders.ts'

const OVERVIEW = 'team-overview'

/** Links to the lists of values and accounts. The index of all reports already lists the teams. */
const LISTS = { value: 'All values', account: 'All accounts' } as const

/** `key` comes from `pageKey`, and `made` lists the reports of this run. */
export function navigationOf(
  out: string,
  part: ReportPart,
  result: ReportResult,
  { key, made }: { readonly key: string | null; readonly made: readonly string[] },
): Site {
  const up = key === null ? '' : '../'
  const folder = join(out, part.folder)
  const { period } = summaryOf(result)
  const others = [
    ...pastPages(folder, result.name),
    ...(key === null ? [] : presentPages(folder).filter(({ summary }) => summary.report === result.name)),
    ...(part.kind === 'all' ? keptOf(out, result.name) : []),
  ]
  const way = (found: (typeof others)[number] | undefined): Way | null =>
    found ? { href: up + encoded(found.page), text: found.summary.period.label } : null
  const byEnd = others.toSorted((a, b) => (a.summary.period.to < b.summary.period.to ? -1 : 1))
  return {
    ...navigationOfIndex(out, part, up, result.name === OVERVIEW ? [] : made),
    previous: way(byEnd.findLast(({ summary }) => summary.period.to < period.to)),
    next: key === null ? null : way(byEnd.find(({ summary }) => summary.period.to > period.to)),
    ...(result.name === OVERVIEW && part.kind === 'all' && { teams: null }),
    ...(part.name !== null && { own: { href: `${up}index.html`, text: part.name } }),
  }
}

/** @param up path from the page to the folder of the index, such as `../` */
export function navigationOfIndex(
  out: string,
  { kind, folder }: ReportPart,
  up = '',
  made: readonly string[] = [],
): Site {
  const root = up + '../'.repeat(folder.split('/').filter(Boolean).length)
  const isListed = kind === 'value' || kind === 'account'
  const hasTeams = kind === 'all' || kind === 'team' || kind === 'selection'
  const isThere = made.includes(OVERVIEW) || existsSync(join(out, `${OVERVIEW}.html`))
  return {
    all: isListed
      ? { href: `${up}../index.html`, text: LISTS[kind] }
      : { href: `${root}index.html`, text: 'All reports' },
    previous: null,
    next: null,
    teams: hasTeams && isThere ? { href: `${root}${OVERVIEW}.html`, text: 'Teams' } : null,
  }
}

export function siteOfKept(out: string, result: ReportResult): Site {
  const { period } = summaryOf(result)
  const before = keptOf(out, result.name).find(({ summary }) => summary.period.to < period.to)
  return {
    all: { href: '../../index.html', text: 'All reports' },
    previous: before ? { href: `../../${encoded(before.page)}`, text: before.summary.period.label } : null,
    next: null,
    teams: null,
  }
}

function keptOf(out: string, report: string) {
  return keptPages(out)
    .filter(({ summary }) => summary.report === report && summary.teams === ALL_TEAMS)
    .map(({ summary, path }) => ({ summary, page: `${path}.html` }))
}

const encoded = (page: string) => page.split('/').map(encodeURIComponent).join('/')
