import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ReportError, WarehouseError } from '../../src/errors.ts'
import { checkReport } from '../../src/page/check-report.ts'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import { inlineText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { scratch } from '../support/warehouse.ts'
import { companyReaders, mistake, report, rowsOf, sql } from './company-report.ts'

const company = companyReaders()

describe('a report', () => {
  test('makes no comparison with a period that begins before the first data', async () => {
    const file = report(
      `{{ s.ttr | change lower-is-better }}\n\n${sql('s', 'select period, median(ttr) as ttr, times_alone(ttr) as ttr_sample from scoped_incidents group by period')}`,
      '{ period: 20 weeks }',
    )
    const { frame, blocks } = await runReport(file, company.reader)
    expect(frame.previousLabel).toBeNull()
    expect(blocks[0]).toMatchObject({
      content: [
        {
          tone: 'same',
          parts: [{ text: 'not compared: previous data missing or incomplete' }],
        },
      ],
    })
  })

  test('shows all table columns, whatever their names', async () => {
    const body = sql('included', `select count(*), 'x' as "Severity (worst)" from scoped_incidents`)
    const { blocks } = await runReport(
      report(`${body}\n\`\`\`table\ndata: included\n\`\`\`\n`),
      company.reader,
    )
    const table = blocks.find((block) => block.kind === 'table')!
    expect(table.columns.map(({ column }) => column)).toEqual(['count_star()', 'Severity (worst)'])
  })

  test('omits a paragraph whose figure is null', async () => {
    const file = report(
      `${sql('q', 'select null::double as missing, 2 as known')}\n\nOnly {{ q.missing | number }}.\n\n**{{ q.missing | number }}** of {{ q.known | number }}.\n\nNo figure.`,
    )
    const { blocks } = await runReport(file, company.reader)
    const said = blocks.map((block) => (block.kind === 'paragraph' ? inlineText(block.content) : block.kind))
    expect(said).toEqual(['No figure.'])
  })

  test('states that a period has no data, and fails on an empty warehouse', async () => {
    expect(await mistake(runReport(report(''), company.blank))).toBeInstanceOf(WarehouseError)
    const quiet = await runReport('reports/mtta-mttr.md', company.reader, {
      period: '2025-01-01..2025-02-01',
    })
    expect(quiet.empty).toBe(true)
    const words = 'No data for this period. No earlier incident is open.'
    expect(toHtml(quiet)).toContain(words)
    expect(toTerminal(quiet, { width: 80, color: false })).toContain(words)
    const out = scratch()
    const weekly = writeReport(quiet, out, ['csv']).find((path) => path.endsWith('by_team.csv'))!
    expect(readFileSync(weekly, 'utf8')).toMatch(/^\ufeffteam,[^\r\n]*\r\n$/)
  })
})

describe('in a report,', () => {
  test('queries can read earlier queries by name, and can have bound parameters', async () => {
    const body =
      sql('one', 'select $period_start as begins, $timezone as zone') +
      sql('two', 'select zone, begins < $period_end as before from one')
    expect(rowsOf(await runReport(report(body), company.reader), 'two')).toEqual([
      { zone: 'Europe/Berlin', before: true },
    ])
  })

  test.each<[string, string, number, RegExp, RegExp?]>([
    ['an unknown column', sql('q', 'select\n  sevrity\nfrom scoped_incidents'), 7, /"q" failed.*sevrity/],
    ['an unknown parameter', sql('q', 'select $perod_start'), 6, /\$perod_start/, /\$period_start/],
    ['two statements', sql('q', 'select 1; select 2'), 6, /Expected one statement/],
    ['a write statement', sql('q', 'delete from config_targets'), 6, /read/],
    [
      'a query that reads a file',
      sql('q', "select * from read_text('/etc/hostname')"),
      6,
      /`read_text` is not allowed here/,
    ],
    ['a tag for a missing query', '{{ nope.n }}', 5, /"nope"/],
    [
      'a tag for a missing column',
      `{{ q.tt }}\n\n${sql('q', 'select 1 as ttr')}`,
      5,
      /no column "tt"/,
      /"ttr"/,
    ],
    ['a change without periods', `{{ q.n | change }}\n\n${sql('q', 'select 1 as n')}`, 5, /both periods/],
    [
      'a change without a sample',
      `{{ q.n | change }}\n\n${sql('q', "select 'current' as period, 1.5::double as n")}`,
      5,
      /no data for testing a change/,
      /n_sample/,
    ],
    [
      'a figure from a query with several rows',
      `{{ q.n }}\n\n${sql('q', 'select range as n from range(3)')}`,
      5,
      /3 rows/,
    ],
    [
      'a chart with an unknown column',
      `${sql('q', 'select 1 as n, week from scoped_weeks')}\`\`\`chart\ntype: line\ntitle: T\ndata: q\nx: wek\ny: n\n\`\`\`\n`,
      9,
      /"wek"/,
      /"week"/,
    ],
    ['a table of an unknown query', '```table\ndata: qq\n```\n', 6, /"qq"/],
    [
      'a card with an unknown column',
      `${sql('q', 'select 1 as n')}\`\`\`kpi\n- { label: A, value: q.m, format: number }\n\`\`\`\n`,
      9,
      /"m"/,
    ],
  ])('an error is reported with its file and line: %s', async (_, body, line, message, next) => {
    const file = report(body)
    // A check does not compute rows, so it cannot find errors in them.
    const act = /rows|sevrity|judged/.test(message.source) ? runReport : checkReport
    const error = await mistake(act(file, company.reader))
    expect(error).toBeInstanceOf(ReportError)
    expect(error.message).toMatch(message)
    expect([error.file, error.line]).toEqual([file, line])
    if (next) expect(error.next).toMatch(next)
  })
})
