import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { judgeQuality, type QualityFacts } from '../../src/judge/data-quality.ts'
import { runReport } from '../../src/page/run-report.ts'
import { qualityGates } from '../../src/page/sentences/quality-sentences.ts'
import type { Coverage, ReportResult } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { parseCondition } from '../../src/report/parse/condition.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { insert } from '../support/tables.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'
import { asOf, settleCompany } from '../support/world.ts'
import { readerOn, reportOn } from './company-report.ts'

describe('a condition in `fail_if`', () => {
  test.each<[string, object]>([
    [
      'late.share > 0.05',
      {
        kind: 'compare',
        query: 'late',
        column: 'share',
        operator: '>',
        limit: { kind: 'number', value: 0.05 },
      },
    ],
    ['late.share >= 5 %', { operator: '>=', limit: { kind: 'percent', value: 0.05 } }],
    ['s.ttr>1h30m', { query: 's', operator: '>', limit: { kind: 'duration', value: 5_400 } }],
    ['s.n != -3', { operator: '!=', limit: { kind: 'number', value: -3 } }],
    [`s.state = 'open'`, { operator: '=', limit: { kind: 'text', value: 'open' } }],
    ['s.now < s.before', { operator: '<', limit: { kind: 'column', query: 's', column: 'before' } }],
    ['open_now has rows', { kind: 'has rows', query: 'open_now' }],
    [' weekly is empty ', { kind: 'is empty', query: 'weekly' }],
  ])('may be %s', (text, condition) => expect(parseCondition(text)).toMatchObject(condition))

  test.each([
    ['', /expected query\.column/],
    ['late > 5', /expected query\.column/],
    ['late.share', /expected query\.column/],
    ['late.share > ', /is not a valid limit/],
    ['late.share > 5 min', /"5 min" is not a valid limit/],
    ['a.b > 1 or 1 = 1', /is not a valid limit/],
    ['(select 1) > 0', /expected query\.column/],
    ['late has row', /expected query\.column/],
  ])('may not be %s', (text, message) => expect(parseCondition(text)).toMatch(message))

  test('is accepted or rejected without an exception, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = parseCondition(text)
        expect(typeof found === 'string' || 'kind' in found).toBe(true)
      }),
    )
  })
})

const opened = readerOn(settleCompany)

const figures = `\`\`\`sql s
select period, count(*) as n, 0.12 as share, median(ttr) as ttr, null::double as nothing from scoped_incidents where period <> 'running' group by period
\`\`\`
\`\`\`sql teams
select * from (values ('a <b>', 1), ('c', 30), ('d', 20)) as teams(team, n)
\`\`\`
\`\`\`sql none
select 1 as n where false
\`\`\`
`
const judged = async (front: string) => {
  const { gates } = await runReport(reportFile(figures, `title: T\n${front}`), opened.reader)
  return gates.filter(({ origin }) => origin === 'report')
}

describe('`fail_if` and `warn_if`', () => {
  const conditions: [when: string, state: string, message: string][] = [
    ['s.share > 5 %', 'error', 'g: s.share is 12% (s.share > 5 %)'],
    ['s.share > 0.12', 'ok', ''],
    ['s.share >= 12%', 'error', ''],
    ['s.ttr > 5m', 'error', ''],
    ['s.ttr > 30d', 'ok', ''],
    ['s.nothing > 0', 'ok', ''],
    ['s.nothing <= 0', 'ok', ''],
    ['teams.n >= 20', 'error', 'g: teams.n is in 2 rows, first 30 (teams.n >= 20)'],
    [`teams.team = 'c'`, 'error', ''],
    ['teams.n > s.n', 'ok', ''],
    ['s.n > none.n', 'ok', ''],
    ['none has rows', 'ok', ''],
    ['none is empty', 'error', 'g: none has no rows'],
    ['teams has rows', 'error', 'g: teams has 3 rows'],
  ]
  // One report evaluates all conditions, in order.
  let gates: ReportResult['gates']
  beforeAll(async () => {
    const list = conditions.map(([when], place) => `  - { name: g${place}, when: "${when}" }`)
    gates = await judged(`fail_if:\n${list.join('\n')}`)
  })

  test.each(conditions.map((one, place) => [...one, place] as const))(
    'evaluate %s as %s',
    (_, state, message, place) => {
      const gate = gates.find(({ name }) => name === `g${place}`)!
      expect(gate.state).toBe(state)
      if (message) expect(gate.message).toBe(message.replace(/^g:/, `g${place}:`))
    },
  )

  test('use the author’s message, with figures from the report', async () => {
    expect(
      await judged(
        'warn_if:\n  - { name: slow, when: s.share > 1 %, message: "Share is {{ s.share | percent }}." }',
      ),
    ).toEqual([{ name: 'slow', origin: 'report', state: 'warn', message: 'Share is 12%.' }])
  })

  test('show the message above the figures of the page if the condition is true', async () => {
    const file = reportFile(
      `Text.\n\n${figures}`,
      `title: T\nfail_if: [{ name: g, when: "teams has rows", message: "Too <b>many</b>." }]`,
    )
    const html = toHtml(await runReport(file, opened.reader))
    expect(html.includes('Too &lt;b&gt;many&lt;/b&gt;.')).toBe(true)
    expect(html.indexOf('Too &lt;b&gt;')).toBeLessThan(html.indexOf('Text.'))
  })
})

const facts: QualityFacts = {
  quarantined: 0,
  records: 1_000,
  incidents: 100,
  conflicts: 0,
  unknownTeam: 0,
  syncStatus: 'ok',
  syncMessage: '',
  ageS: 3_600,
}
const whole: Coverage = { share: 1, gaps: [] }
const judge = (given: Partial<QualityFacts>, coverage = whole, settings: Settings = defaultSettings) =>
  qualityGates(
    judgeQuality(
      { ...facts, ...given },
      coverage,
      new Map(settings.thresholds.map(({ name, value }) => [name, value])),
    ),
    coverage,
    { timezone: 'UTC', year: '2026' },
  ).filter(({ state }) => state !== 'ok')

describe('data quality', () => {
  test('causes no message if all facts are good or unknown', () => {
    expect(judge({})).toEqual([])
    expect(
      judge({ ageS: null, syncStatus: null, incidents: 0, records: 0 }, { share: null, gaps: [] }),
    ).toEqual([])
  })

  test.each<[Partial<QualityFacts>, string, string]>([
    [
      { quarantined: 1 },
      'warn',
      '1 record is quarantined. Figures exclude it, or use its last valid version.',
    ],
    [
      { quarantined: 20 },
      'error',
      '20 records are quarantined. Figures exclude them, or use their last valid versions.',
    ],
    [{ conflicts: 2 }, 'warn', '2 of 100 incidents have contradictory times.'],
    [{ conflicts: 1, incidents: 50 }, 'warn', '1 of 50 incidents has contradictory times.'],
    [{ conflicts: 11 }, 'error', '11 of 100 incidents have contradictory times.'],
    [{ unknownTeam: 1, incidents: 5 }, 'warn', '1 of 5 incidents belongs to no known team.'],
    [{ unknownTeam: 90 }, 'warn', '90 of 100 incidents belong to no known team.'],
    [{ ageS: 130_000 }, 'warn', 'The data is 1\u202fd\u00a012\u202fh old.'],
    [{ ageS: 691_200 }, 'error', 'The data is 8\u202fd old.'],
    [
      { syncStatus: 'partial', syncMessage: 'members: no permission' },
      'warn',
      'The last sync was partial: members: no permission.',
    ],
    [
      { syncStatus: 'partial', syncMessage: 'incidents: none was marked as missing.' },
      'warn',
      'The last sync was partial: incidents: none was marked as missing.',
    ],
  ])('with %j has the state %s', (given, state, message) => {
    const [gate, ...others] = judge(given)
    expect(others).toEqual([])
    expect(gate).toMatchObject({ state, origin: 'data quality' })
    expect(gate!.message).toBe(message)
  })

  test('is not tested against disabled limits', () => {
    expect(
      judge(
        { quarantined: 900, ageS: 9e9, conflicts: 100, unknownTeam: 100 },
        { ...whole, share: 0 },
        { ...defaultSettings, thresholds: [] },
      ),
    ).toEqual([])
  })

  test('fails if coverage is low, and lists the missing days', () => {
    const gaps = [{ from: '2026-08-03T00:00:00', to: '2026-08-06T00:00:00' }]
    expect(judge({}, { share: 0.85, gaps })).toMatchObject([
      {
        name: 'coverage',
        state: 'error',
        message: 'Coverage of the period is 85%; missing: 3\u00a0Aug\u00a000:00 – 6\u00a0Aug\u00a000:00.',
      },
    ])
    expect(judge({}, { share: 0.95, gaps })).toMatchObject([{ state: 'warn' }])
  })
})

describe('the coverage of a period', () => {
  const week = 7 * 86_400
  const day = 86_400
  const covered = async (
    windows: readonly [from: number, to: number, state?: string][],
    options = {},
  ): Promise<ReportResult> => {
    const path = await warehouseFile(async (connection) => {
      await settleCompany(connection)
      await insert(
        connection,
        'sync_windows',
        windows.map(([from, to, state = 'done']) => ({
          run_id: 1,
          resource: 'incidents',
          state,
          window_start: asOf - from,
          window_end: asOf - to,
        })),
      )
    })
    return reportOn(path, reportFile('Text.'), options)
  }

  test('is complete if sync windows touch or overlap', async () => {
    const { coverage, frame, gates } = await covered([
      [40 * week, 10 * week],
      [11 * week, week],
      [week, 0],
    ])
    expect(coverage).toEqual({ share: 1, gaps: [] })
    expect(frame).toMatchObject({
      coverage: expect.stringMatching(/^coverage 100%, data from /),
      incomplete: undefined,
    })
    expect(gates.find(({ name }) => name === 'coverage')?.state).toBe('ok')
  })

  test('excludes and lists days without a completed sync window', async () => {
    // The period is the 13 weeks up to Monday, 26 October, in Berlin.
    const end = asOf - Date.UTC(2026, 9, 25, 23) / 1000
    const { coverage, frame, gates } = await covered([
      [40 * week, end + 20 * day],
      [end + 20 * day, end + 10 * day, 'open'],
      [end + 10 * day, 0],
    ])
    expect(coverage.share).toBeCloseTo(1 - 240 / (91 * 24 + 1), 9)
    expect(coverage.gaps).toEqual([{ from: '2026-10-06T01:00:00', to: '2026-10-16T01:00:00' }])
    expect(frame.incomplete).toMatch(/^coverage 89%, data from /)
    expect(gates.find(({ name }) => name === 'coverage')).toMatchObject({ state: 'error' })
  })

  test('has gaps before the first data and after the last data', async () => {
    const { coverage } = await covered([[2 * week, 0]], { period: '2026-10-01..2026-12-01' })
    expect(coverage.gaps).toHaveLength(2)
    expect(coverage.gaps[1]).toEqual({ from: '2026-11-01T11:30:00', to: '2026-12-01T00:00:00' })
  })

  test('is unknown if the warehouse has no sync windows', async () => {
    const { coverage, gates } = await covered([])
    expect(coverage).toEqual({ share: null, gaps: [] })
    expect(gates.find(({ name }) => name === 'coverage')?.state).toBe('ok')
  })
})

test('the age of the data changes a report page only at a warning or error limit', async () => {
  const file = reportFile('Text.')
  const at = async (hours: number) =>
    runReport(file, opened.reader, { now: (asOf + 60 + hours * 3_600) * 1_000 })
  const ageOf = ({ gates }: ReportResult) => gates.find(({ name }) => name === 'age')!.state
  expect([ageOf(await at(1)), ageOf(await at(40)), ageOf(await at(200))]).toEqual(['ok', 'warn', 'error'])
  expect(toHtml(await at(2))).toBe(toHtml(await at(20)))
  expect(toHtml(await at(200))).toBe(toHtml(await at(205)))
})
