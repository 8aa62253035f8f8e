import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { notePage, pageKey } from '../../delivery/present-pages.ts'
import { siteOf, siteOfTeam } from '../../delivery/site.ts'
import type { TeamAddress } from '../../delivery/team-addresses.ts'
import { pageOfTeam } from '../../delivery/team-pages.ts'
import type { ReportResult } from '../../render/result.ts'
import { type FileFormat, writeReport } from '../../report/write.ts'

/** How a page of a run is written. */
interface Writing {
  readonly out: string
  readonly files: readonly FileFormat[]
  readonly options: { readonly [option in 'period' | 'team' | 'severity' | 'out']?: string | undefined } & {
    readonly dimensions?: Readonly<Record<string, string>> | undefined
  }
  /** The reports of this run. */
  readonly names: readonly string[]
  /** The teams that get pages of their own in it. */
  readonly teams: readonly TeamAddress[]
  readonly config: Pick<Config, 'out'>
}

/**
 * Writes a report's page at its place, with its ways to others. A period that was named, such as one of the past, has a page of its
 * own in the folder of the report, and never takes the place of the present one. @returns the paths, and where the page lies
 */
export function writePage(result: ReportResult, { out, files, options, names, teams, config }: Writing) {
  const key = pageKey(options.period)
  const [folder, page] = key === null ? [out, result.name] : [join(out, result.name), key]
  const isOfValue = Object.keys(options.dimensions ?? {}).length > 0
  const isOfSite = ![options.team, options.severity].some(Boolean) && !isOfValue && files.includes('html')
  const isOfTeam = options.team !== undefined && options.out === undefined && key === null
  const written = writeReport(result, folder, files, {
    name: page,
    isCompact: options.team !== undefined || isOfValue,
    teamPage: (team) => {
      const address = pageOfTeam(teams, team)
      return address && (key === null ? address : `../${address}`)
    },
    site: isOfSite
      ? siteOf(out, result, key, names)
      : isOfTeam
        ? siteOfTeam(config.out, result.frame.teams, existsSync(join(out, 'index.html')))
        : null,
  })
  if (isOfSite) notePage(folder, page, result)
  return { written, folder, page }
}
