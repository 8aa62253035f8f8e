import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Beside, Verdict } from '../../src/judge/change-verdict.ts'
import { mixWords, reachWords } from '../../src/page/sentences/verdict-sentences.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { words } from '../../src/render/summary.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { reportOn } from '../page/company-report.ts'
import { csvOf } from '../page/stated-figures.ts'
import { fill } from '../support/tables.ts'
import { reportFile, scratch, warehouseFile } from '../support/warehouse.ts'

/** `perDay` incidents a day of a severity, closed by a person after about `seconds`. */
const daily = (severity: string, perDay: number, seconds: number, from: string, to: string) => `(
  select json_object(
    'incident_id', md5(format('{} {} {}', '${severity}', day, k))[:24], 'account_id', 1, 'incident_severity', '${severity}',
    'progress', 'Closed', 'start_time', day + k * 600, 'ack_time', day + k * 600 + 60, 'closer_id', 7,
    'close_time', day + k * 600 + close_s, 'updated_at', day + k * 600 + close_s
  ) as json
  from (
    select day, k, 60 + (${seconds} * exp((hash(day, k, '${severity}') % 1000) / 1000 - 0.5))::int as close_s
    from unnest(range(epoch(timestamptz '${from}')::bigint, epoch(timestamptz '${to}')::bigint, 86400)) as d (day),
      range(${perDay}) as i (k)
  ))`

let result: ReportResult
const folder = scratch()
beforeAll(async () => {
  const file = await warehouseFile(async (connection) => {
    // Critical always takes half an hour and Info four hours. The second period has more Info.
    await fill(connection, 'incidents', daily('Critical', 8, 1_800, '2026-01-01', '2026-05-04'))
    await fill(connection, 'incidents', daily('Info', 2, 14_400, '2026-01-01', '2026-03-30'))
    await fill(connection, 'incidents', daily('Info', 16, 14_400, '2026-03-30', '2026-05-04'))
  })
  const report = reportFile(
    `\`\`\`kpi
- { metric: time_to_resolve }
- { metric: time_to_resolve, as: some, label: Some, where: "severity = 'Critical' and hash(incident_id) % 8 = 0" }
\`\`\`
`,
  )
  result = await reportOn(file, report, { period: '2026-03-30..2026-04-27', timezone: 'UTC' })
  writeReport(result, folder, ['csv'])
}, 300_000)

const flat = (text: string) => words(text.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ')

test('every report format explains a longer time to resolve by the severity mix', () => {
  const change = result.kpis[0]!.change!
  expect(change).toMatchObject({ tone: 'worse', verdict: 'slower' })
  expect(words(change.mix!)).toMatch(
    /^(no change|[\d.]+% (faster|slower)) after adjusting for the severity mix; no compared severity was slower$/,
  )
  for (const said of [toHtml(result), toTerminal(result, { width: 300, color: false })])
    expect(flat(said)).toContain(words(change.mix!))
  const [row] = csvOf(readFileSync(join(folder, result.name, 'verdicts.csv'), 'utf8'))
  expect(row).toMatchObject({ mix: 'mix', verdict: 'slower', could_show: expect.stringMatching(/^0\./) })
  expect(Math.abs(Number(row!.change_at_mix))).toBeLessThan(Number(row!.change) / 2)
})

test('a figure without a clear change shows its detectable change in the details, not on its card', () => {
  const { change } = result.kpis[1]!
  expect(change).toMatchObject({ verdict: 'no clear change' })
  const reach = words(change!.reach!)
  expect(reach).toMatch(/^a change smaller than [\d.]+% would not be detected$/)
  const [card, details] = toHtml(result).split('<section class="counted">')
  expect(flat(details!)).toContain(reach)
  expect(flat(card!)).not.toContain('would not be detected')
  expect(flat(toTerminal(result, { width: 80, color: false }))).toContain(reach)
})

test('verdict sentences state the severity mix, detectable change and autocorrelation', () => {
  const context = { timezone: 'UTC', year: '2026' }
  const of = (verdict: Verdict, beside: Partial<Beside>) => {
    const all: Beside = {
      couldShow: 0.4,
      lag: 0.3,
      movedAtMix: -0.12,
      parts: { compared: 3, less: 3, more: 0 },
      mix: null,
      ...beside,
    }
    return [mixWords(verdict, all, context), reachWords(verdict, 'duration', all, context)].map(words)
  }
  const unclear: Verdict = { code: 'unclear', isFar: false }
  const slower: Verdict = { code: 'sure', direction: 1 }
  expect(of(slower, {})).toEqual(['', ''])
  expect(of(slower, { mix: 'reversed' })).toEqual([
    '12% faster after adjusting for the severity mix; no compared severity was slower',
    '',
  ])
  expect(of(slower, { mix: 'mix', movedAtMix: 0.03, parts: { compared: 3, less: 0, more: 1 } })).toEqual([
    '3% slower after adjusting for the severity mix',
    '',
  ])
  expect(of(unclear, { mix: 'hidden' })).toEqual([
    '12% faster after adjusting for the severity mix; each of the 3 compared severities was faster',
    'a change smaller than 40% would not be detected',
  ])
  expect(of(unclear, { couldShow: null })).toEqual(['', ''])
  expect(of({ code: 'small' }, {})).toEqual(['', ''])
  const rough = 'weekly values are autocorrelated, so the interval is approximate'
  expect(of(slower, { lag: 0.5 })).toEqual(['', rough])
  expect(of(unclear, { lag: 0.8 })).toEqual(['', `a change smaller than 40% would not be detected; ${rough}`])
  expect(of({ code: 'unread' }, { lag: 0.8 })).toEqual(['', ''])
})
