import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { ConfigError, ReportError, WarehouseError } from '../../src/errors.ts'
import type { QueryResult, ReportResult } from '../../src/render/result.ts'
import { inlineText, leadText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { listReports } from '../../src/report/list.ts'
import { checkReport, runReport } from '../../src/report/run.ts'
import { writeStarter } from '../../src/report/starter.ts'
import { writeReport } from '../../src/report/write.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { viewFiles } from '../../src/warehouse/schema/views.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

const folder = scratch()
let reader: Reader
let blank: Reader

beforeAll(async () => {
  reader = await openReader(await warehouseFile(settleCompany), { settings: defaultSettings })
  blank = await openReader(await warehouseFile(async () => {}), { settings: defaultSettings })
})
afterAll(() => {
  reader.close()
  blank.close()
})

let count = 0
function report(body: string, params = '{ period: 13 weeks }'): string {
  const file = join(folder, `r${count++}.md`)
  writeFileSync(file, `---\ntitle: T\nparams: ${params}\n---\n${body}`)
  return file
}
const sql = (name: string, text: string) => `\`\`\`sql ${name}\n${text}\n\`\`\`\n`
const rowsOf = (result: ReportResult, name: string) => {
  const { columns, rows } = result.queries.find((query) => query.name === name) as QueryResult
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column.name, row[index]])))
}
const mistake = async (act: Promise<unknown>) =>
  act.then(
    () => expect.fail('no mistake was found'),
    (error: unknown) => error as ReportError,
  )

describe('the scope', () => {
  test('has every column that a macro of sql/ asks of the incidents it is given', async () => {
    const macros = viewFiles().filter(({ body }) => body.includes('of_incidents :='))
    expect(macros.length).toBeGreaterThan(10)
    const queries = macros.map(({ name }) =>
      sql(`q_${name}`, `select count(*) as n from ${name}(of_incidents := 'scoped_incidents')`),
    )
    await checkReport(report(queries.join('\n')), reader)
  })

  test('is the last whole weeks before the data was read, in local time', async () => {
    const { frame } = await runReport(report(''), reader)
    expect(frame).toMatchObject({
      timezone: 'Europe/Berlin',
      from: '2026-07-27',
      to: '2026-10-26',
      asOf: '2026-11-01T11:30:00',
      span: '13 weeks',
      teams: 'All teams',
      label: '27\u00a0Jul – 25\u00a0Oct\u00a02026',
      previousLabel: '27\u00a0Apr – 26\u00a0Jul\u00a02026',
    })
  })

  test('counts what a query written out by hand counts', async () => {
    const result = await runReport(
      report(
        sql(
          'scoped',
          `select period, count(*) as n, count(tta) as tta, count(ttr) as ttr, min(hour) as low, max(weekday) as high from scoped_incidents group by period order by period`,
        ) +
          sql(
            'by_hand',
            `select case when l < '2026-07-27' then 'previous' when l < '2026-10-26' then 'current' else 'running' end as period, count(*) as n,
            count(time_to_ack_s) filter (not is_muted) as tta, count(time_to_close_s) filter (is_handled_by_people and not is_muted) as ttr, min(hour(l)) as low, max(isodow(l)) as high
            from (select *, start_time at time zone 'Europe/Berlin' as l from incident_times) where l >= '2026-04-27' group by all order by period`,
          ),
      ),
      reader,
    )
    expect(rowsOf(result, 'scoped')).toEqual(rowsOf(result, 'by_hand'))
    expect(rowsOf(result, 'scoped').map(({ period }) => period)).toEqual(['current', 'previous', 'running'])
  })

  test('knows every week, and which are not whole', async () => {
    const weeks = rowsOf(
      await runReport(report(sql('weeks', 'from scoped_weeks'), '{ period: 2 weeks }'), reader),
      'weeks',
    )
    expect(weeks).toEqual([
      { week: '2026-09-28', period: 'previous', is_partial: false },
      { week: '2026-10-05', period: 'previous', is_partial: false },
      { week: '2026-10-12', period: 'current', is_partial: false },
      { week: '2026-10-19', period: 'current', is_partial: false },
      { week: '2026-10-26', period: 'running', is_partial: true },
    ])
  })

  test('can be narrowed by team and severity, and says so', async () => {
    const file = report(
      sql('seen', 'select distinct team_name, incident_severity from scoped_incidents order by all'),
    )
    const result = await runReport(file, reader, { team: 'payments,search', severity: 'critical' })
    expect(rowsOf(result, 'seen')).toEqual(
      ['payments', 'search'].map((team_name) => ({ team_name, incident_severity: 'Critical' })),
    )
    expect(result.frame).toMatchObject({ teams: 'payments, search', severities: 'Critical' })
    const left = result.counted.funnel.find(({ label }) => label.includes('another team'))
    expect(left?.count).toBeGreaterThan(0)
    const steps = result.counted.funnel.slice(0, 6).map((step) => step.count)
    expect(steps.slice(1, 5).reduce((rest, count) => rest - count, steps[0]!)).toBe(steps[5])
  })

  test('of open incidents and pages is narrowed too, and the survival of all is the one of the view', async () => {
    const open = sql('open', 'select distinct team_name, is_open from scoped_open')
    const pages = sql(
      'pages',
      'select period, team_name, count(*) as pages from scoped_pages group by all order by all',
    )
    const narrow = await runReport(report(open + pages), reader, { team: 'platform' })
    expect(rowsOf(narrow, 'open')).toEqual([{ team_name: 'platform', is_open: true }])
    expect(rowsOf(narrow, 'pages').map(({ team_name }) => team_name)).toEqual([
      'platform',
      'platform',
      'platform',
    ])
    const curve = sql('ours', 'select seconds, share from scoped_survival')
    const view = sql(
      'view',
      'select t_s as seconds, survival as share from survival_curve(started_from := $period_start, started_to := $period_end) order by t_s',
    )
    const result = await runReport(report(curve + view), reader)
    const [ours, theirs] = [rowsOf(result, 'ours'), rowsOf(result, 'view')]
    expect(ours.length).toBeGreaterThan(300)
    expect(ours.map(({ seconds }) => seconds)).toEqual(theirs.map(({ seconds }) => seconds))
    ours.forEach(({ share }, index) => {
      expect(share).toBeCloseTo(Number(theirs[index]?.share), 9)
    })
  })

  test('refuses a team nobody has, with the closest one', async () => {
    const error = await mistake(runReport(report(''), reader, { team: 'payment' }))
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.next).toBe('Did you mean "payments"?')
  })

  test('options go before the report, the report before the configuration, then the account', async () => {
    const zone = async (params: string, options = {}) =>
      (await runReport(report('', params), reader, options)).frame.timezone
    expect(
      await zone('{ timezone: Asia/Tokyo }', { timezone: 'America/New_York', defaultTimezone: 'UTC' }),
    ).toBe('America/New_York')
    expect(await zone('{ timezone: Asia/Tokyo }', { defaultTimezone: 'UTC' })).toBe('Asia/Tokyo')
    expect(await zone('{}', { defaultTimezone: 'UTC' })).toBe('UTC')
    expect(await zone('{}')).toBe('Europe/Berlin')
  })

  test('does not compare with a time before the data begins', async () => {
    const file = report(
      `{{ s.ttr | change lower-is-better }}\n\n${sql('s', 'select period, median(ttr) as ttr, times_alone(ttr) as ttr_sample from scoped_incidents group by period')}`,
      '{ period: 20 weeks }',
    )
    const { frame, blocks } = await runReport(file, reader)
    expect(frame.previousLabel).toBeNull()
    expect(blocks[0]).toMatchObject({
      content: [{ tone: 'same', parts: [{ text: 'not known to be faster or slower' }] }],
    })
  })

  test('a paragraph of which no figure is left is left out', async () => {
    const file = report(
      `${sql('q', 'select null::double as missing, 2 as known')}\n\nOnly {{ q.missing | number }}.\n\n**{{ q.missing | number }}** of {{ q.known | number }}.\n\nNo figure.`,
    )
    const { blocks } = await runReport(file, reader)
    const said = blocks.map((block) => (block.kind === 'paragraph' ? inlineText(block.content) : block.kind))
    expect(said).toEqual(['No figure.'])
  })

  test('an empty warehouse has nothing to say; one without incidents in the period says that', async () => {
    expect(await mistake(runReport(report(''), blank))).toBeInstanceOf(WarehouseError)
    const quiet = await runReport('reports/mtta-mttr.md', reader, { period: '2025-01-01..2025-02-01' })
    expect(quiet.empty).toBe(true)
    const words = 'No incidents in this period, and none from before it is open.'
    expect(toHtml(quiet)).toContain(words)
    expect(toTerminal(quiet, { width: 80, color: false })).toContain(words)
    const out = scratch()
    const weekly = writeReport(quiet, out, ['csv']).find((path) => path.endsWith('by_team.csv'))!
    expect(readFileSync(weekly, 'utf8')).toMatch(/^team,incidents,[^\r\n]*\r\n$/)
  })
})

describe('queries', () => {
  test('read earlier ones by name, with bound parameters', async () => {
    const body =
      sql('one', 'select $period_start as begins, $timezone as zone') +
      sql('two', 'select zone, begins < $period_end as before from one')
    expect(rowsOf(await runReport(report(body), reader), 'two')).toEqual([
      { zone: 'Europe/Berlin', before: true },
    ])
  })

  test.each<[string, string, number, RegExp, RegExp?]>([
    ['an unknown column', sql('q', 'select\n  sevrity\nfrom scoped_incidents'), 7, /"q" failed.*sevrity/],
    ['an unknown parameter', sql('q', 'select $perod_start'), 6, /\$perod_start/, /\$period_start/],
    ['two statements', sql('q', 'select 1; select 2'), 6, /One statement/],
    ['a statement that writes', sql('q', 'delete from config_targets'), 6, /read/],
    ['a file', sql('q', "select * from read_text('/etc/hostname')"), 6, /disabled/],
    ['a tag of no query', '{{ nope.n }}', 5, /"nope"/],
    ['a tag of no column', `{{ q.tt }}\n\n${sql('q', 'select 1 as ttr')}`, 5, /no column "tt"/, /"ttr"/],
    ['a change without periods', `{{ q.n | change }}\n\n${sql('q', 'select 1 as n')}`, 5, /both periods/],
    [
      'a change without a sample',
      `{{ q.n | change }}\n\n${sql('q', "select 'current' as period, 1.5::double as n")}`,
      5,
      /judged/,
      /n_sample/,
    ],
    ['a figure of many rows', `{{ q.n }}\n\n${sql('q', 'select range as n from range(3)')}`, 5, /3 rows/],
    [
      'a chart without its column',
      `${sql('q', 'select 1 as n, week from scoped_weeks')}\`\`\`chart\ntype: line\ntitle: T\ndata: q\nx: wek\ny: n\n\`\`\`\n`,
      9,
      /"wek"/,
      /"week"/,
    ],
    ['a table without its query', '```table\ndata: qq\n```\n', 6, /"qq"/],
    [
      'a card without its column',
      `${sql('q', 'select 1 as n')}\`\`\`kpi\n- { label: A, value: q.m, format: number }\n\`\`\`\n`,
      9,
      /"m"/,
    ],
  ])('%s is an error with file and line, when run and when checked', async (_, body, line, message, next) => {
    const file = report(body)
    // What only rows can tell is not found by a check, which computes none.
    const found = /rows|disabled/.test(message.source) ? [runReport] : [runReport, checkReport]
    for (const act of found) {
      const error = await mistake(act(file, reader))
      expect(error).toBeInstanceOf(ReportError)
      expect(error.message).toMatch(message)
      expect([error.file, error.line]).toEqual([file, line])
      if (next) expect(error.next).toMatch(next)
    }
  })
})

/** A report for the tests that only look at it. */
let trend: Promise<ReportResult> | undefined
const severityTrend = () => {
  trend ??= runReport('reports/severity-trend.md', reader)
  return trend
}

describe('the reports that come with Faultline', () => {
  const all = listReports('reports')

  test('are there, each with a title and a description', () => {
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['mtta-mttr', 'severity-trend']))
    for (const { title, description, problem } of all)
      expect([problem, title, description].every((x) => x !== '')).toBe(true)
  })

  test.each(all.map(({ name, file }) => [name, file]))(
    '%s compiles on an empty warehouse, runs, and is the same bytes in every time zone',
    async (_, file) => {
      await checkReport(file, blank)
      const zone = process.env.TZ
      const pages: string[] = []
      const isShare = inject('isFast') && !file.includes('severity-trend')
      for (const TZ of isShare ? ['Asia/Kathmandu'] : ['America/New_York', 'Asia/Kathmandu']) {
        process.env.TZ = TZ
        const result = await runReport(file, reader)
        pages.push(toHtml(result) + toTerminal(result, { width: 100, color: true }))
      }
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
      expect(pages.at(-1)).toBe(pages[0])
    },
  )

  test('severity-trend: every week has every severity, and the weeks add up', async () => {
    const result = await severityTrend()
    const weekly = rowsOf(result, 'weekly')
    const parts = rowsOf(result, 'weekly_severity')
    expect(parts.length).toBe(weekly.length * 4)
    for (const week of weekly) {
      const of = parts.filter((part) => part.week === week.week)
      expect(of.reduce((sum, part) => sum + Number(part.incidents), 0)).toBe(Number(week.incidents))
      expect(of.reduce((sum, part) => sum + Number(part.share ?? 0), 0)).toBeCloseTo(
        week.incidents ? 1 : 0,
        9,
      )
    }
    const current = weekly
      .filter(({ period }) => period === 'current')
      .reduce((sum, week) => sum + Number(week.incidents), 0)
    expect(current).toBe(result.counted.funnel.find(({ label }) => label === 'counted')!.count)
  })

  test('a company that got faster is told so, in colour and in words', async () => {
    const { blocks } = await runReport('reports/mtta-mttr.md', reader)
    const lead = blocks[0]!
    expect(lead.kind === 'findings' && leadText(lead)).toMatch(
      /Resolve, all closed: .+, \d+\u202f% faster than before \(.+\)\..* In all: of the incidents that people took on, half were acknowledged within /,
    )
    const cards = blocks.find((block) => block.kind === 'kpis')!
    expect(cards.kind === 'kpis' && cards.cards.map(({ change }) => change?.tone)).toEqual([
      'same',
      'better',
      'better',
      'same',
      expect.any(String),
    ])
  })
})

describe('writing', () => {
  test('names the unit of what the page shows as a duration, once', async () => {
    const query = sql(
      'q',
      'select 1 as card, 2 as told, 3 as cell, 4 as low, 5 as high, 6 as bar, 7 as n, 8 as done_s, 9 as x, 10 as x_s',
    )
    const body = `${query}
{{ q.told | duration }}, {{ q.n | number }}

\`\`\`kpi
- { label: A, value: q.card, format: duration }
\`\`\`

\`\`\`table
data: q
columns: [{ column: cell, format: duration, interval: [low, high] }, { column: done_s, format: duration }, { column: x, format: duration }]
\`\`\`

\`\`\`chart
{ type: bars, title: B, data: q, x: bar, y: n, format: duration }
\`\`\`
`
    const out = scratch()
    const [path] = writeReport(await runReport(report(body), reader), out, ['csv'])
    expect(readFileSync(path!, 'utf8').split('\r\n')[0]).toBe(
      'card_s,told_s,cell_s,low_s,high_s,bar_s,n,done_s,x,x_s',
    )
  })

  test('makes the page, the JSON and a CSV for each query, and leaves nothing else', async () => {
    const out = join(scratch(), 'deep', 'er')
    const result = await severityTrend()
    const paths = writeReport(result, out, ['html', 'csv', 'json'])
    expect(paths).toHaveLength(6 + result.queries.length)
    expect(readdirSync(out).sort()).toEqual(['severity-trend', 'severity-trend.html', 'severity-trend.json'])
    expect(readdirSync(join(out, 'severity-trend')).sort()).toEqual(
      [
        ...result.queries.map(({ name }) => `${name}.csv`),
        ...['findings.csv', 'verdicts.csv', 'all_incidents.csv', 'queries.sql'],
      ].sort(),
    )
    const json = JSON.parse(readFileSync(join(out, 'severity-trend.json'), 'utf8'))
    expect(json.results.weekly).toHaveLength(27)
  })

  test('keeps the last good file when something fails', async () => {
    const out = scratch()
    const good = await severityTrend()
    const [page] = writeReport(good, out, ['html'])
    const before = readFileSync(page!, 'utf8')
    mkdirSync(join(out, 'severity-trend.json'))
    const changed = { ...good, title: 'Changed' }
    expect(() => writeReport(changed, out, ['json'])).toThrow(ReportError)
    // A page that cannot be drawn fails before the first file is touched.
    const broken = { ...changed, blocks: [{ kind: 'kpis', cards: null }] as never }
    expect(() => writeReport(broken, out, ['json', 'html'])).toThrow(TypeError)
    expect(readFileSync(page!, 'utf8')).toBe(before)
    expect(readdirSync(out).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

describe('a new report', () => {
  test('from the starter runs as it is, and is never written over another', async () => {
    const where = join(scratch(), 'mine')
    const file = writeStarter(where, 'my-team')
    expect(existsSync(file)).toBe(true)
    expect((await runReport(file, reader)).title).toBe('My team')
    expect(() => writeStarter(where, 'my-team')).toThrow(ConfigError)
    expect(() => writeStarter(where, '../evil')).toThrow(ConfigError)
    expect(listReports(where)).toMatchObject([{ name: 'my-team', title: 'My team', problem: null }])
  })

  test('a broken one is listed with its problem; no folder is no reports', () => {
    const where = scratch()
    writeFileSync(join(where, 'broken.md'), 'no front matter')
    writeFileSync(join(where, 'notes.txt'), 'not a report')
    expect(listReports(where)).toMatchObject([{ name: 'broken', problem: { line: 1 } }])
    expect(listReports(join(where, 'none'))).toEqual([])
  })
})
