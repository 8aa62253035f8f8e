import { expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { checked, companyReaders, report, sql } from './company-report.ts'

const company = companyReaders()

const table = (more = '') => `\`\`\`table\ndata: q\n${more}\`\`\`\n`
const chart = (keys: string) => `\`\`\`chart\ntitle: C\ndata: q\n${keys}\n\`\`\`\n`

const joined = `Convert it to text with array_to_string(people, ', '). A table draws a list of numbers with \`spark: true\`.`

test.each<[string, string, string, string, string]>([
  [
    'a list in a table',
    "select ['a', 'b'] as people",
    table('columns: [people]\n'),
    'A table requires single values, but the column "people" of the query "q" is a list.',
    joined,
  ],
  [
    'a struct in a table',
    "select {'name': 'Ada'} as person",
    table(),
    'A table requires single values, but the column "person" of the query "q" is a struct.',
    'Select one of its fields, such as person.name.',
  ],
  [
    'a map in a table',
    "select map(['a'], [1]) as n",
    table('columns: [n]\n'),
    'A table requires single values, but the column "n" of the query "q" is a map.',
    "Select one of its values, such as n['key'].",
  ],
  [
    'a sample in a table',
    'select median(tta) as tta, times(tta, judged) as tta_sample from scoped_incidents',
    table('columns: [tta, tta_sample]\n'),
    'A table requires single values, but the column "tta_sample" of the query "q" is a result of times(…).',
    'Such columns are used only for intervals and verdicts. Choose another column.',
  ],
  [
    'a line chart with numbers instead of dates',
    'select 2026 as year, 1.5 as n',
    chart('type: line\nx: year\ny: n'),
    'A chart of type line requires dates along x, but the column "year" of the query "q" is of type INTEGER.',
    'Choose a column of dates, such as week, or convert a year with make_date(year, 1, 1). For names, use the chart type columns or bars.',
  ],
  [
    'a number as a sparkline',
    'select 1 as n',
    table('columns: [{ column: n, spark: true }]\n'),
    'A table requires a list of numbers, but the column "n" of the query "q" is of type INTEGER.',
    'Remove `spark`, or use a list, such as list(n order by week).',
  ],
  [
    'a number beside a number',
    'select 1 as n, 2 as m',
    table('columns: [{ column: n, spark: m }]\n'),
    'A table requires a list of numbers, but the column "m" of the query "q" is of type INTEGER.',
    'Remove `spark`, or use a list, such as list(m order by week).',
  ],
  [
    'a list of texts as a sparkline',
    "select ['a'] as names",
    table('columns: [{ column: names, spark: true }]\n'),
    'A table requires a list of numbers, but the column "names" of the query "q" is a list.',
    'Remove `spark`, or use a list, such as list(names order by week).',
  ],
  [
    'a list on a card',
    'select [1] as n',
    '```kpi\n- { label: N, value: q.n, format: number }\n```\n',
    'A card requires single values, but the column "n" of the query "q" is a list.',
    "Convert it to text with array_to_string(n, ', '). A table draws a list of numbers with `spark: true`.",
  ],
  [
    'a list as a measured value',
    'select current_date as week, [1] as n',
    chart('type: columns\nx: week\ny: n'),
    'A chart of type columns requires numbers, but the column "n" of the query "q" is a list.',
    'Choose a column of numbers, or one element of the list, such as n[1].',
  ],
  [
    'text as a measured value',
    "select current_date as week, 'many' as n",
    chart('type: control\nx: week\ny: n'),
    'A chart of type control requires numbers, but the column "n" of the query "q" is text.',
    'Choose a column of numbers, or convert this one with n::double.',
  ],
  [
    'text as the length of a bar',
    "select 'payments' as team, 3 as n",
    chart('type: bars\nx: team\ny: n'),
    'A chart of type bars requires numbers, but the column "team" of the query "q" is text.',
    'x is the length of a bar, and y its name.',
  ],
  [
    'a heat map with names as weekdays',
    "select 7 as hour, 'Monday' as weekday, 3 as n",
    chart('type: heatmap\nx: hour\ny: weekday\ncolor: n'),
    'A chart of type heatmap requires numbers, but the column "weekday" of the query "q" is text.',
    'x is the hour, 0 to 23, as in hour(…). y is the weekday as in isodow(…), where 1 is Monday. color is the count.',
  ],
  [
    'a heat map with times as hours',
    "select time '07:00' as hour, 1 as weekday, 3 as n",
    chart('type: heatmap\nx: hour\ny: weekday\ncolor: n'),
    'A chart of type heatmap requires numbers, but the column "hour" of the query "q" is of type TIME.',
    'x is the hour, 0 to 23, as in hour(…). y is the weekday as in isodow(…), where 1 is Monday. color is the count.',
  ],
  [
    'a histogram with texts as bounds',
    "select '0' as low, '1' as high, 3 as n",
    chart('type: histogram\nx: [low, high]\ny: n'),
    'A chart of type histogram requires numbers, but the column "low" of the query "q" is text.',
    'Choose a column of numbers, or convert this one with low::double.',
  ],
  [
    'text as the number of observations',
    "select current_date as week, 3 as n, 'few' as of",
    chart('type: line\nx: week\ny: n\nn: of'),
    'A chart of type line requires numbers, but the column "of" of the query "q" is text.',
    'Choose a column of numbers, or convert this one with of::double.',
  ],
])('%s is rejected with advice', async (_, text, blocks, message, next) => {
  const [first] = await checked(company, sql('q', text) + blocks)
  expect(first).toEqual([9, message, next])
  await expect(runReport(report(sql('q', text) + blocks), company.reader)).rejects.toThrow(message)
})

test('numbers of every type can be drawn, and lists of numbers can be sparklines', async () => {
  const types = ['tinyint', 'ubigint', 'hugeint', 'float', 'double', 'decimal(10, 2)']
  const text = `select 7 as hour, ${types.map((type, index) => `1::${type} as n${index}, [1]::${type}[] as l${index}`).join(', ')}`
  const columns = types.map((_, index) => `n${index}, { column: l${index}, spark: true }`)
  const charts = types.map((_, index) => chart(`type: bars\nx: n${index}\ny: hour`))
  expect(
    await checked(company, sql('q', text) + table(`columns: [${columns.join(', ')}]\n`) + charts.join('')),
  ).toEqual([])
})

test('a chart whose rows are all null shows a note', async () => {
  const file = report(
    sql('q', "select date '2026-01-05' as week, null::double as took") +
      chart('type: line\nx: week\ny: took'),
  )
  const page = toHtml(await runReport(file, company.reader))
  expect(page).toContain('No data: all values are missing.')
})
