import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { openReader } from '../support/storage.ts'
import { settleUci498, uci498, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { oddWorlds } from './odd-worlds.ts'
import { complaintsOf, pageOf } from './page-rules.ts'

/** Detects sentences that contradict each other, their file or the data, by the rules in `page-rules.ts`. */
const every = listReports('reports').map(({ name }) => name)
const REVIEW = 'reliability-review'
const others = every.filter((name) => name !== REVIEW)
/**
 * `npm test` reads the reliability review of these scenarios. `npm run test:slow` reads the reports with required
 * sentences, or one report of a scenario without any, alternately the review and another report.
 */
const four = ['a storm', 'silence for 50 days', 'nobody acknowledges', 'most of it open']
/** The scenario for which `npm run test:slow` reads every report, so that all their figures are compared. */
const whole = 'a merge of two companies'
const namesOf = (world: string, turn: number) => {
  if (inject('isRelease') || world === whole) return every
  const required = (told[world] ?? []).map(([name]) => name)
  if (inject('isFast')) return [REVIEW]
  if (required.length > 0) return [...new Set(required)]
  return [turn % 2 === 0 ? REVIEW : others[((turn - 1) / 2) % others.length]!]
}

/** Required and forbidden sentences, by scenario and report. */
const told: Record<string, [report: string, wanted: RegExp | null, unwanted?: RegExp][]> = {
  'a storm': [
    [
      REVIEW,
      /^Spike on 28 Oct: 5\d\d incidents \(usual: 25 per week\), nearly all from Payments \(production\); 5\d\d are one alert: payment-gateway/m,
      /, (better|worse)/,
    ],
    [REVIEW, /3\.1 times as many, most on 28 Oct; without that day about as many/],
    [REVIEW, /automatically,\snot compared: 549 of \d+ incidents occurred on 28 Oct\./],
    ['severity-trend', /^Spike on 28 Oct: 5\d\d incidents/m],
    ['severity-trend', /7\.8 times as many, most on 28 Oct; without that day about as many/],
    ['severity-trend', /^The severity mix is not assessed: spike\./m, /did not clearly/],
    ['severity-trend', /not assessed: spike/],
    ['mtta-mttr', /^Spike on 28 Oct: 5\d\d incidents/m, /incidents are (one alert|owned by)/],
  ],
  'a storm in the previous period': [
    [
      REVIEW,
      /55% fewer, because the previous period includes 468 incidents on 17 Jun; without that day about as many/,
      /, better/,
    ],
    [
      'severity-trend',
      /\d\d% fewer, because the previous period includes 4\d\d incidents on 17 Jun; without that day about as many/,
      /, better/,
    ],
  ],
  'a team that stops acknowledging': [
    [REVIEW, /^Search acknowledged [\d.]+% of its incidents within target \(previously \d+%\)\./m],
    ['team-overview', /^1 of 2 teams needs attention\. Search acknowledge/m],
    [
      'executive-summary',
      / Search acknowledges [\d.]+% of its incidents; the other teams \d+%, all along\./m,
    ],
  ],
  'silence for 50 days': [
    [REVIEW, /^No incidents recorded since 14 Sep \(49 days; usual: 29 per week\)\./m, /, better/],
    [REVIEW, /Next steps: check that the integrations still send alerts/],
    ['severity-trend', /not compared: data gap since 14 Sep/],
    ['severity-trend', /^Info: 0 in the last full week \(expected: [1-9]\S+; data gap\)/m],
    ['severity-trend', /^The severity mix is not assessed: data gap\./m, /rising|falling|no trend/],
  ],
  'silence that ended': [
    [REVIEW, /^No incidents recorded for 49 days from 30 Aug \(usual: 28 per week\)\./m, /, (better|worse)/],
    ['mtta-mttr', /^No incidents recorded for 49 days from 30 Aug/m],
  ],
  'none in the previous period': [[REVIEW, /not compared: data gap of 11\d days from \d+ \w+/, /, worse/]],
  'one person': [
    [
      REVIEW,
      /^One of 4 people in (Search|Payments) received (\d+) of the team’s \2 night pages\./m,
      /Ana received|Ana \w+ of the/,
    ],
  ],
  // A subject gets only one sentence of advice.
  'two of a crew': [
    [
      REVIEW,
      /^One of 8 people in Search received \d+ of the team’s \d+ night pages\./m,
      /One of 8 people in Search.*One of 8 people in Search/,
    ],
  ],
  'nobody acknowledges': [
    [
      REVIEW,
      /^Nobody has ever acknowledged an incident, so acknowledgement is not assessed\./m,
      /acknowledged \b0%|acknowledged within target \(objective/,
    ],
    [
      'executive-summary',
      /Nobody has ever acknowledged an incident/,
      /acknowledged within target \(objective/,
    ],
  ],
  'a machine that acknowledges': [
    [REVIEW, /Automation acknowledged 256 of 256 incidents within a second of their start/],
    ['mtta-mttr', /not compared: 100% took less than a second \(automation\)/],
  ],
  'everything done in no time': [
    [REVIEW, /Automation acknowledged 96 of 96 incidents within a second of their start/],
    [REVIEW, /Automation resolved 96 of 96/],
  ],
  'nothing but Info': [
    [REVIEW, /No high-severity incident of this period was closed\./, /Every closed high-severity incident/],
    ['executive-summary', /No high-severity incident has a target\./],
  ],
  'most of it open': [[REVIEW, null, /person, closed\)/]],
  'no assignments': [
    [
      'executive-summary',
      /No one was assigned to an incident in this period\./,
      /(calls|pages) at night;|\d (calls|pages) at night/,
    ],
  ],
  'a team born last week': [
    ['team-overview', /new since 27 Oct/],
    [REVIEW, null, /owned by Foxtrot/],
  ],
  'a severity that is new': [[REVIEW, /^Info was first seen on 13 Aug/m]],
  'three weeks of age': [
    [REVIEW, null, /usual:|previously \d|(fewer|more|faster|slower) than in the previous period/],
  ],
  'severities relabelled': [
    [
      REVIEW,
      /^Since 3 Aug, no incident is Warning, but the total is unchanged and Info grew\. Were severities renamed\?/m,
      /Info incidents rose|\d% fewer|(Payments|Search) took/,
    ],
    [REVIEW, /not compared: severities were probably renamed/],
    ['severity-trend', /not compared: severities were probably renamed/, /, (better|worse)/],
    // A severity without incidents in the period keeps its row.
    ['severity-trend', /^Warning\n0\ntoo few to assess/m],
    ['team-overview', /2 of 2 teams took longer to resolve than in the previous period\./],
  ],
  'one team silent': [
    [
      REVIEW,
      /^No incidents recorded from Search since \d+ Sep \(/m,
      /Search (fell|went)|from Search fell|, (better|worse)/,
    ],
    [REVIEW, /not compared: no incidents recorded from Search since \d+ Sep/],
    [REVIEW, /Next steps: check that the integrations of Search still send alerts/],
    ['executive-summary', /^No incidents recorded from Search since \d+ Sep \(/m, /Search alerts fell/],
    ['team-overview', /^1 of 2 teams needs attention\. No incidents recorded from Search since/m],
  ],
  'one severity silent': [
    [REVIEW, /^No incidents recorded as Critical since \d+ Sep \(/m],
    [REVIEW, /not compared: no incidents recorded as Critical since \d+ Sep/, /, (better|worse)/],
  ],
  'a merge of two companies': [
    [
      'executive-summary',
      /^High-severity incidents: \d+ in October, \d+ in September; the most in 11 months\./m,
    ],
    [
      REVIEW,
      /^Mobile and Storefront, new since 7 Sep, account for \d+ of \d+ additional incidents\./m,
      /, better|not significantly different from/,
    ],
    // The weeks before the first incident of a team are not part of its usual level.
    ['on-call-handover', null, /(Mobile|Storefront) alerts: \d+ in the last week/],
  ],
  'five incidents a year': [['severity-trend', /^previously \d/m, /No significant change/]],
  'a bot that closes everything': [
    [
      REVIEW,
      /[\d,]+ of [\d,]+ closed incidents were closed after exactly 5\smin, which looks like a timer\./,
    ],
    [REVIEW, /not compared: [\d,]+ of [\d,]+ were closed after exactly 5\smin/, /median time to resolve/],
  ],
  'one title for most': [
    [
      REVIEW,
      /[\d,]+ of [\d,]+ incidents are one alert: Nightly run of ledger-writer\./,
      /fix (“[^”]+”).*fix \1/,
    ],
  ],
  'nothing ever closed': [[REVIEW, /[\d,]+ of [\d,]+ incidents are still open a week after they started\./]],
  // All teams grew alike, so only the total is named.
  growth: [
    [REVIEW, /^Incidents rose from \d+ to \d+\./m, /No significant change|Incidents from (Payments|Search)/],
    ['team-overview', /Incidents rose from 307 to 624/, /Incidents from (Payments|Search)/],
  ],
}

/** The figures of reports about one period, by name. Each has one value, one verdict and one interval. */
function figuresOf(results: Iterable<ReportResult>): Map<string, Set<string>> {
  const seen = new Map<string, Set<string>>()
  for (const { verdicts, frame } of results)
    for (const row of objectsOf(verdicts)) {
      if (row.label === '' || row.label === null) continue
      const key = `${row.label}, ${frame.from} to ${frame.to}`
      const { value, before, verdict, change_low: low, change_high: high } = row
      seen.set(
        key,
        (seen.get(key) ?? new Set()).add(JSON.stringify([value, before, verdict, low, high].map(String))),
      )
    }
  return seen
}

const makers: [string, Parameters<typeof warehouseFile>[0]][] = [
  ...Object.entries(oddWorlds)
    .filter(([name]) => !inject('isFast') || four.includes(name))
    .map(([name, content]): (typeof makers)[number] => [name, (connection) => inhabit(connection, content)]),
  ...(uci498 !== null && inject('isRelease')
    ? [['the real incidents', settleUci498] as (typeof makers)[number]]
    : []),
]

describe.each(makers.map(([world, settle], turn) => ({ world, settle, turn })))(
  'in the scenario "$world",',
  ({ world, settle, turn }) => {
    let reader: Reader
    const results = new Map<string, ReportResult>()
    const names = namesOf(world, turn)
    beforeAll(async () => {
      reader = await openReader(await warehouseFile(settle), { settings: defaultSettings })
      const pool = pooled(reader)
      // The rules read no incident lists, and no sentence depends on them.
      for (const name of names)
        results.set(name, await runReport(`reports/${name}.md`, pool, { lists: false }))
    }, 300_000)
    afterAll(() => reader?.close())

    test.each(names)('the sentences in %s are consistent', (name) => {
      expect(complaintsOf(pageOf(results.get(name)!))).toEqual([])
    })

    test.runIf(names.length > 1)('a figure in two reports has the same value and verdict', () => {
      const seen = [...figuresOf(results.values())]
      // Two reports can have few figures.
      if (names.length === every.length) expect(seen.length).toBeGreaterThan(4)
      expect(seen.filter(([, values]) => values.size > 1).map(([key, values]) => [key, ...values])).toEqual(
        [],
      )
    })

    const ofThis = (told[world] ?? []).filter(([name]) => names.includes(name))
    test.runIf(ofThis.length > 0)(
      'reports contain the required sentences, and none of the forbidden sentences',
      () => {
        for (const [name, wanted, unwanted] of ofThis) {
          const text = pageOf(results.get(name)!).lines.join('\n')
          if (wanted) expect(text, name).toMatch(wanted)
          if (unwanted) expect(text, name).not.toMatch(unwanted)
        }
      },
    )
  },
)
