import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { ReportResult } from '../../src/render/result.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { runReport } from '../../src/report/run.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { settleUci498, uci498, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { oddWorlds } from './odd-worlds.ts'
import { complaintsOf, pageOf } from './page-rules.ts'

/** A gate against sentences that contradict each other, their file or the data. `page-rules.ts` has the rules. */
const every = listReports('reports').map(({ name }) => name)
const REVIEW = 'reliability-review'
const others = every.filter((name) => name !== REVIEW)
/** In fast mode only the review or one other report, in turns. */
const namesOf = (turn: number) =>
  inject('isFast') ? [turn % 2 === 0 ? REVIEW : others[((turn - 1) / 2) % others.length]!] : every

/** Required and forbidden sentences by world. */
const told: Record<string, [report: string, wanted: RegExp | null, unwanted?: RegExp][]> = {
  'a storm': [
    [
      REVIEW,
      /^5\d\d incidents came on 28 Oct, nearly all from Payments \(production\); 25 a week is usual\./m,
      /, (better|worse)/,
    ],
    [REVIEW, /3\.1 times as many, most on 28 Oct; without them as before/],
    ['severity-trend', /7\.8 times as many, most on 28 Oct; without them as before/],
    ['mtta-mttr', /not compared: 5\d\d of 8\d\d came on 28 Oct/],
  ],
  'a storm in the previous period': [
    [REVIEW, /55 % fewer, as 493 came on 17 Jun; without them as before/, /, better/],
    ['severity-trend', /\d\d % fewer, as 4\d\d came on 17 Jun; without them as before/, /, better/],
  ],
  'silence for 50 days': [
    [REVIEW, /^No incident has come for 49 days, since 14 Sep; 28 a week is usual\./m, /, better/],
    [REVIEW, /Next: check that the integrations still send/],
    ['severity-trend', /not compared: no incident for 49 days/],
    ['team-overview', /not compared/],
  ],
  'silence that ended': [
    [REVIEW, /^No incident came for 49 days from 30 Aug on; 27 a week is usual\./m, /, (better|worse)/],
    ['mtta-mttr', /not compared: no incident for 49 days/],
  ],
  'none in the previous period': [[REVIEW, /not compared: no incident for 11\d days/, /, worse/]],
  'one person': [
    [
      REVIEW,
      /^One of the 4 people of (Search|Payments) got (\d+) of its \2 pages at night\./m,
      /Ana got|Ana \w+ of the/,
    ],
  ],
  // A subject gets only one sentence of advice.
  'two of a crew': [
    [
      REVIEW,
      /^One of the 8 people of Search got \d+ of its \d+ pages at night\./m,
      /One of the 8 people of Search.*One of the 8 people of Search/,
    ],
  ],
  'nobody acknowledges': [
    [
      REVIEW,
      /^Nobody has ever acknowledged an incident, so acknowledgement is not judged\./m,
      /acknowledged \b0 %|acknowledged in time; the goal/,
    ],
    ['executive-summary', /Nobody has ever acknowledged an incident/, /acknowledged in time; the goal/],
  ],
  'a machine that acknowledges': [
    [REVIEW, /A machine acknowledged 256 of 256 incidents in the second they began/],
    ['mtta-mttr', /not compared: a machine does it, 100 % at once/],
  ],
  'everything done in no time': [
    [REVIEW, /A machine acknowledged 96 of 96 incidents in the second they began/],
    [REVIEW, /A machine resolved 96 of 96/],
  ],
  'nothing but Info': [
    [REVIEW, /No serious incident of this period was closed\./, /Every serious incident/],
    ['executive-summary', /No serious incident with a target\./],
  ],
  'most of it open': [[REVIEW, null, /closed, half were resolved within/]],
  'no assignments': [
    [
      'executive-summary',
      /No ?one was assigned to anything in this period\./,
      /(calls|pages) at night;|\d (calls|pages) at night/,
    ],
  ],
  'a team born last week': [
    ['team-overview', /new since 27 Oct/],
    [REVIEW, null, /Foxtrot came to/],
  ],
  'a severity that is new': [[REVIEW, /^Info is new since 13 Aug/m]],
  'three weeks of age': [[REVIEW, null, /is usual|(fewer|more|faster|slower) than before/]],
  'severities relabelled': [[REVIEW, /^Info incidents rose/m]],
}

const makers: [string, Parameters<typeof warehouseFile>[0]][] = [
  ...Object.entries(oddWorlds).map(([name, content]): (typeof makers)[number] => [
    name,
    (connection) => inhabit(connection, content),
  ]),
  ...(uci498 === null || inject('isFast')
    ? []
    : [['the real incidents', settleUci498] as (typeof makers)[number]]),
]

describe.each(makers.map(([world, settle], turn) => ({ world, settle, turn })))(
  'for a company with $world',
  ({ world, settle, turn }) => {
    let reader: Reader
    const results = new Map<string, ReportResult>()
    const names = namesOf(turn)
    beforeAll(async () => {
      reader = await openReader(await warehouseFile(settle), { settings: defaultSettings })
      const pool = pooled(reader)
      for (const name of names) results.set(name, await runReport(`reports/${name}.md`, pool))
    }, 300_000)
    afterAll(() => reader?.close())

    test.each(names)('sentences of %s are consistent', (name) => {
      expect(complaintsOf(pageOf(results.get(name)!))).toEqual([])
    })

    const ofThis = (told[world] ?? []).filter(([name]) => names.includes(name))
    test.runIf(ofThis.length > 0)('required sentences are present and forbidden ones are absent', () => {
      for (const [name, wanted, unwanted] of ofThis) {
        const text = pageOf(results.get(name)!).lines.join('\n')
        if (wanted) expect(text, name).toMatch(wanted)
        if (unwanted) expect(text, name).not.toMatch(unwanted)
      }
    })
  },
)
