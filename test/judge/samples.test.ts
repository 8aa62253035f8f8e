import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mistakesOf } from '../../src/page/check-report.ts'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { sampleKind } from '../../src/report/figure-sample.ts'
import { frameSql } from '../../src/report/scope/frame-sql.ts'
import { checked, companyReaders, report, sql } from '../page/company-report.ts'
import { scratch } from '../support/warehouse.ts'

const company = companyReaders()

describe('a custom column named like a sample column', () => {
  test.each([
    ['active_weeks', 'count(distinct week)', '7'],
    ['blood_sample', "any_value('A positive')", 'A positive'],
    ['my_interval', 'avg(12.5)', '12.5'],
    ['as_earlier', 'max(37)', '37'],
  ])('is shown and exported like any other column: %s', async (name, value, shown) => {
    const file = report(
      sql('q', `select 'all' as team, ${value} as ${name} from range(7) as weeks (week)`) +
        `\`\`\`table\ndata: q\ncolumns: [team, ${name}]\n\`\`\`\n`,
    )
    expect(await mistakesOf(file, company.reader)).toEqual([])
    const result = await runReport(file, company.reader)
    const out = scratch()
    const paths = writeReport(result, out, ['html', 'csv', 'json'])
    const text = (end: string) => readFileSync(paths.find((path) => path.endsWith(end))!, 'utf8')
    expect(text('q.csv')).toBe(`\ufeffteam,${name}\r\nall,${shown}\r\n`)
    expect(text('.html')).toContain(`${shown}</td>`)
    expect(String(JSON.parse(text('.json')).results.q[0][name])).toBe(shown)
    expect(toTerminal(result, { width: 80, color: false })).toMatch(new RegExp(`all\\s+${shown}`))
  })

  test('is suggested for a misspelled column name', async () => {
    const table = '```table\ndata: q\ncolumns: [activ_weeks]\n```\n'
    expect(await checked(company, sql('q', 'select 3 as active_weeks') + table)).toEqual([
      [9, 'The query "q" has no column "activ_weeks".', 'Did you mean "active_weeks"?'],
    ])
  })
})

describe('the sample column that a macro adds to a figure', () => {
  const made = `select period, count(*) as n, weeks_of(judged) as n_weeks, median(tta) as tta, times(tta, judged) as tta_sample,
  any_value(interval_of(1, 2)) as tta_interval, (select earlier_weeks_of(judged) from scoped_earlier) as n_earlier,
  median(ttr) as ttr, times_alone(ttr) as ttr_sample,
  avg(muted::int) as muted, count(*) as muted_n, share_weeks_of(muted, judged) as muted_weeks
from scoped_incidents where period <> 'running' group by period order by period`

  test('is neither shown nor exported, whatever its name', async () => {
    const file = report(`${sql('q', made.replace('tta_sample', 'tta_values'))}\`\`\`table\ndata: q\n\`\`\`\n`)
    expect(await mistakesOf(file, company.blank)).toEqual([])
    const { queries } = await runReport(file, company.reader)
    expect(queries[0]!.columns.map(({ name }) => name)).toEqual([
      'period',
      'n',
      'tta',
      'ttr',
      'muted',
      'muted_n',
    ])
  })

  test('is recognized by its type, with or without data', async () => {
    const kinds = new Set<string | null>()
    for (const each of [company.reader, company.blank]) {
      const session = await each.session()
      await session.keep('scoped_periods', "select 'current' as period")
      await session.define(frameSql('macros'))
      const judged = "{'place': 1, 'watched_s': 9, 'is_open': false, 'part': 1}"
      await session.keep(
        'made',
        `select times(1, judged) as a, interval_of(1, 2) as b, weeks_of(judged) as c, earlier_weeks_of(judged) as d, share_weeks_of(true, judged) as e,
          earlier_times_of(1, judged) as f, earlier_share_weeks_of(true, judged) as g
        from (select ${judged} as judged)`,
        { rows: false },
      )
      const { columns } = await session.query('from made')
      for (const column of columns) kinds.add(sampleKind(column))
      session.close()
    }
    expect([...kinds]).toEqual([
      ...['times_of', 'interval_of', 'weeks_of', 'earlier_weeks_of', 'share_weeks_of'],
      ...['earlier_times_of', 'earlier_share_weeks_of'],
    ])
  })
})

describe('a sample column', () => {
  const of = (columns: string) =>
    sql('q', `select period,\n  ${columns}\nfrom scoped_incidents group by period`)

  test.each<[string, string, string, string]>([
    [
      'without a figure',
      'median(tta) as tta, times(ttr, judged) as ttr_sample',
      'The column "ttr_sample" of the query "q" is a result of times(…), but belongs to no figure.',
      'Name it after its figure, such as tta_sample for tta.',
    ],
    [
      'that no macro created',
      "count(*) as n, {'weeks_of': 3} as n_weeks",
      'The column "n_weeks" of the query "q" has a field weeks_of that was not created by weeks_of(…).',
      'Use weeks_of(…). If this is a struct of your own, rename the field.',
    ],
    [
      'for another kind of figure',
      'avg(muted::int) as share, count(*) as share_n, weeks_of(judged) as share_weeks',
      'The column "share_weeks" of the query "q" is a result of weeks_of(…), but share is a share.',
      'For a share, use share_weeks_of(…) or earlier_share_weeks_of(…) or interval_of(…).',
    ],
    [
      'for a column that is not a figure',
      'avg(alert_event_cnt) as events, any_value(interval_of(1, 2)) as events_interval',
      'The column "events_interval" of the query "q" is a result of interval_of(…), but the kind of the figure events is unknown.',
      'A duration requires a column with times(…), a share requires the column events_n, and a count must be a whole number.',
    ],
    [
      'if the figure has another sample',
      'median(tta) as tta, times(tta, judged) as tta_sample, times(tta, judged, muted) as tta_times',
      'The columns "tta_sample" and "tta_times" of the query "q" are both results of times(…) for tta.',
      'Remove one of them.',
    ],
  ])('is rejected %s', async (_, columns, message, next) => {
    expect(await checked(company, of(columns))).toEqual([[7, message, next]])
    await expect(runReport(report(of(columns)), company.reader)).rejects.toThrow(message)
  })

  test('is accepted if another query adds the figure', async () => {
    const file = report(
      of('times(tta, judged) as tta_sample') + sql('joined', 'select 1.5::double as tta, tta_sample from q'),
    )
    expect(await mistakesOf(file, company.blank)).toEqual([])
  })
})
