import { ConfigError, closestMatch } from '../../errors.ts'
import { type Cli, json } from '../command.ts'

/** Permits unknown options, because each configured dimension is an option. `checkOptions` rejects the others. */
export function addReportCommand({ parent }: Pick<Cli, 'parent'>) {
  return parent
    .command('report [name...]')
    .description(
      'create reports; see also `report list`, `report check [name…]`, `report new NAME`, `report schema`',
    )
    .option('--period <period>', '13w, last month, this quarter, 2026-W12, 2026-Q1, 2026-01-01..2026-03-01 …')
    .option(
      '--team <names>',
      'only these teams, comma-separated (names may contain commas); reports are written to teams/',
    )
    .option(
      '--pages <dimensions>',
      'also write the reports for each value of these dimensions, one folder per value',
    )
    .option('--teams', 'also write the reports for each team, to teams/TEAM/')
    .allowUnknownOption()
    .option('--severity <names>', 'only these severities, comma-separated')
    .option('--account <names>', 'only these accounts, by name or id, comma-separated')
    .option(
      '--all-accounts',
      'write separate reports for each account (or for those in --account), to accounts/',
    )
    .option('--jobs <n>', 'accounts, teams or values to report on in parallel (default: 3)')
    .option('--timezone <zone>', 'IANA time zone of weeks, days and hours')
    .option('--at <state>', 'lake only: query a past snapshot, by time, age (3d) or snapshot number')
    .option(
      '--format <formats>',
      'html, csv, json, terminal, or with Chromium pdf, png; comma-separated (default: html,csv)',
    )
    .option('--to <dir>', 'output folder (default: from the configuration)')
    .option('--deliver', 'also archive the reports with an index, and send them by mail and webhook')
    .option('--due', 'deliver the reports that are due by their schedule, then exit (for cron or Kubernetes)')
    .option('--again', 'deliver even if already sent')
    .option('--watch', 'regenerate when a report file changes')
    .addOption(json())
    .addHelpText(
      'after',
      '\nEach dimension in `reporting.dimensions` is also an option: --service checkout\n\nExample:\n  faultline report mtta-mttr --period 13w --format terminal',
    )
}

type TypedOptions = ReturnType<ReturnType<typeof addReportCommand>['opts']>

export type ReportOptions = { readonly [Name in keyof TypedOptions]?: TypedOptions[Name] | undefined } & {
  readonly dimensions?: Readonly<Record<string, string>> | undefined
}

type Name = keyof ReportOptions
/** A rule for an option: it requires one of `needs`, and cannot be combined with any of `excludes`. */
type Rule = { readonly [What in 'needs' | 'excludes']?: readonly Name[] }

const RULES: Readonly<Record<Name, Rule>> = {
  period: {},
  team: {},
  severity: {},
  account: {},
  dimensions: {},
  timezone: {},
  at: {},
  format: {},
  to: {},
  json: {},
  deliver: {},
  due: {},
  again: { needs: ['deliver', 'due'] },
  watch: { excludes: ['deliver', 'due', 'again'] },
  teams: { excludes: ['team', 'dimensions'] },
  pages: { excludes: ['team', 'account', 'dimensions'] },
  jobs: { needs: ['allAccounts', 'teams', 'pages'] },
  allAccounts: {
    excludes: ['json', 'team', 'teams', 'pages', 'dimensions', 'deliver', 'due', 'again', 'watch'],
  },
}

/** @throws ConfigError for an unknown option, or for options that cannot be combined */
export function checkOptions(options: ReportOptions, dimensions: readonly string[]): void {
  const known = [...Object.keys(RULES).filter((name) => name !== 'dimensions'), ...dimensions].map(flagOf)
  const unknown = Object.keys(options.dimensions ?? {}).find((name) => !dimensions.includes(name))
  if (unknown !== undefined) {
    throw new ConfigError(`unknown option '--${unknown}'`, {
      next: closestMatch(`--${unknown}`, known) ?? '(see --help)',
    })
  }
  const given = (Object.keys(RULES) as Name[]).filter((name) => isGiven(options[name]))
  const flag = (name: Name) =>
    name === 'dimensions' ? flagOf(Object.keys(options.dimensions!)[0]!) : flagOf(name)
  for (const name of given) {
    const { needs, excludes = [] } = RULES[name]
    const excluded = excludes.find((one) => given.includes(one))
    if (excluded !== undefined) {
      throw new ConfigError(`${flag(excluded)} cannot be used with ${flag(name)}.`, {
        next: 'Remove one of them.',
      })
    }
    if (needs && !needs.some((one) => given.includes(one))) {
      throw new ConfigError(`${flag(name)} requires ${needs.map(flagOf).join(' or ')}.`, {
        next: `Add ${flagOf(needs[0]!)}, or remove ${flag(name)}.`,
      })
    }
  }
}

function isGiven(value: ReportOptions[Name]): boolean {
  return typeof value === 'object'
    ? Object.keys(value).length > 0
    : value !== undefined && value !== (false as boolean)
}

const flagOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
