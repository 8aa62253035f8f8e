import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mistakesOf } from '../../src/page/check-report.ts'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { checked, companyReaders, report, reportOn, rowsOf, sql } from '../page/company-report.ts'
import { company as made } from '../page/odd-worlds.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

const company = companyReaders()
const block = (kind: string, text: string) => `\`\`\`${kind}\n${text}\n\`\`\`\n`
const serious = `incident_severity in ('Critical', 'Warning')`

/** The same figures as hand-written queries, without metrics. */
const byHand = `${sql(
  'own',
  `select period, count(*) as incidents, weeks_of(judged) as incidents_weeks,
    (select earlier_weeks_of(judged) from scoped_earlier) as incidents_earlier,
    count(*) filter (${serious}) as serious, weeks_of(judged, ${serious}) as serious_weeks,
    (select earlier_weeks_of(judged, ${serious}) from scoped_earlier) as serious_earlier,
    median(tta) filter (${serious}) as tta, times(tta, judged, not muted and ${serious}) as tta_sample,
    count(*) filter (band <> 'work') / count(*) as outside, count(*) as outside_n,
    share_weeks_of(band <> 'work', judged) as outside_weeks
  from scoped_incidents where period <> 'running' group by period order by period`,
)}${block(
  'kpi',
  `- { label: Incidents, value: own.incidents, format: number, better: lower, trend: week.incidents }
- { label: High-severity incidents, value: own.serious, format: number, better: lower, trend: week.serious }
- { label: Time to acknowledge, value: own.tta, format: duration, better: lower, trend: week.tta }
- { label: Outside working hours, value: own.outside, format: percent, better: lower, n: own.outside_n, trend: week.outside }`,
)}${sql(
  'week',
  `select week, w.period, count(incident_id) as incidents, count(incident_id) filter (${serious}) as serious,
    median(tta) filter (${serious}) as tta, count(*) filter (band <> 'work') / nullif(count(incident_id), 0) as outside
  from scoped_weeks w left join scoped_incidents using (week, period) group by all order by week`,
)}`
const byName = block(
  'kpi all',
  `- { metric: incidents }
- { metric: serious_incidents }
- { metric: time_to_acknowledge, where: "severity in ('Critical', 'Warning')" }
- { metric: outside_working_hours }`,
)

/** Cards without links, which hand-written queries lack. */
const cardsOf = ({ kpis }: ReportResult) => kpis.map(({ link: _, listBefore: __, ...card }) => card)

test('a weekly chart of a metric includes a severity that occurs only in the current week', async () => {
  const content = made([
    { ago: 20, severity: 'Info' },
    { ago: 0.1, severity: 'Ok' },
  ])
  const file = await warehouseFile((connection) => inhabit(connection, content))
  const body = block('chart weeks', 'type: columns\ntitle: T\nmetric: incidents\ncolor: severity')
  const rows = rowsOf(await reportOn(file, report(body)), 'weeks')
  expect(rows.filter(({ incidents }) => Number(incidents) > 0).map(({ severity }) => severity)).toEqual([
    'Info',
    'Ok',
  ])
})

describe('a metric', () => {
  test('has the same figure, n, interval, verdict and trend on a card as a hand-written query', async () => {
    const [named, written] = [
      await runReport(report(byName), company.reader),
      await runReport(report(byHand), company.reader),
    ]
    expect(cardsOf(named)).toEqual(cardsOf(written))
    expect(named.kpis.every(({ change, trend }) => change !== null && trend.length > 10)).toBe(true)
    const bare = ({ verdicts }: ReportResult) => verdicts.rows.map(([, ...row]) => row)
    expect(bare(named)).toEqual(bare(written))
  })

  test('that counts pages has the page counts of the weeks before both compared periods', async () => {
    const weekly = sql(
      'weekly',
      `select (place + 1 - (select max(place) + 1 from scoped_places where period = 'earlier'))::int as back, count(*) as n
      from scoped_places join (
        select floor((epoch(paged_at) - epoch($previous_start::timestamptz)) / 604800)::int + 1 as back
        from page_starts() where paged_at < $previous_start::timestamptz
      ) as pages on back = place + 1 - (select max(place) + 1 from scoped_places where period = 'earlier')
      where period = 'earlier' group by all order by all`,
    )
    const kept = sql(
      'kept',
      `select (judged.place + 1 - (select max(place) + 1 from scoped_places where period = 'earlier'))::int as back, count(*) as n
      from scoped_pages_earlier group by all order by all`,
    )
    const result = await runReport(report(`${weekly}${kept}`, '{ period: 4 weeks }'), company.reader)
    expect(rowsOf(result, 'kept')).toEqual(rowsOf(result, 'weekly'))
    expect(rowsOf(result, 'kept').length).toBeGreaterThan(4)
  })

  test('has rows by team or by week that add up to its total', async () => {
    const body = `${block('table teams', 'by: team\ncolumns:\n  - { metric: incidents }\n  - { metric: time_to_resolve, show: [median, p90, mean] }\n  - { metric: acknowledged_in_time }')}
${block('chart weeks', 'type: columns\ntitle: T\nmetric: incidents\ncolor: severity')}
${block('chart months', 'type: line\ntitle: T\nmetric: time_to_resolve\nby: month')}
${block('chart', 'type: percentiles\ntitle: T\nmetric: time_to_resolve\nby: severity')}
${block('metrics sum', '- { metric: incidents }\n- { metric: acknowledged_in_time }')}
${sql('own', "select team_name as team, median(ttr) as ttr, quantile_cont(ttr, 0.9) as p90, avg(ttr) as mean from scoped_incidents where period = 'current' group by team")}`
    const result = await runReport(report(body), company.reader)
    const [teams, weeks] = [rowsOf(result, 'teams'), rowsOf(result, 'weeks')]
    const sum = rowsOf(result, 'sum').find(({ period }) => period === 'current')!
    const total = (rows: Record<string, unknown>[], column: string) =>
      rows.reduce((all, row) => all + Number(row[column]), 0)
    expect(total(teams, 'incidents')).toBe(Number(sum.incidents))
    expect(total(teams, 'acknowledged_in_time_n')).toBe(Number(sum.acknowledged_in_time_n))
    expect(
      total(
        weeks.filter(({ period }) => period === 'current'),
        'incidents',
      ),
    ).toBe(Number(sum.incidents))
    const own = new Map(rowsOf(result, 'own').map(({ team, ...figures }) => [team, figures]))
    for (const { team, time_to_resolve: ttr, time_to_resolve_p90: p90, time_to_resolve_mean: mean } of teams)
      expect({ ttr, p90, mean: Number(mean) }).toEqual({
        ...own.get(team),
        mean: expect.closeTo(Number(own.get(team)!.mean), 6),
      })
    expect(rowsOf(result, 'months').length).toBeGreaterThan(2)
    const strip = result.blocks.find((one) => one.kind === 'chart' && one.spec.type === 'percentiles')
    expect(strip).toMatchObject({ spec: { target: 'time_to_resolve_limit', open: 'time_to_resolve_open' } })
  })

  test('uses the chart type’s default scale unless a scale is set', async () => {
    const chart = (type: string, metric: string, by: string, more = '') =>
      block('chart', `type: ${type}\ntitle: T\nmetric: ${metric}\nby: ${by}${more}`)
    const { blocks } = await runReport(
      report(
        chart('percentiles', 'time_to_acknowledge', 'team') +
          chart('percentiles', 'time_to_acknowledge', 'severity', '\nscale: linear') +
          chart('control', 'time_to_acknowledge', 'week') +
          chart('control', 'incidents', 'week') +
          chart('line', 'time_to_acknowledge', 'week'),
      ),
      company.reader,
    )
    const drawn = blocks.flatMap((one) =>
      one.kind === 'chart' ? [[one.spec.type, 'scale' in one.spec ? one.spec.scale : null]] : [],
    )
    expect(drawn).toEqual([
      ['percentiles', 'log'],
      ['percentiles', 'linear'],
      ['control', 'log'],
      ['control', 'linear'],
      ['line', 'linear'],
    ])
  })

  test('has no interval or verdict if a formula defines the metric, even for a percentage', async () => {
    const body = block('kpi own', '- { metric: alerts_folded }\n- { metric: time_to_resolve_p90 }')
    const { kpis, verdicts } = await runReport(report(body), company.reader)
    expect(kpis.map(({ interval, change }) => ({ interval, change }))).toEqual([
      ...[1, 2].map(() => ({ interval: null, change: null })),
    ])
    expect(kpis.every(({ value }) => value !== null)).toBe(true)
    expect(verdicts.rows).toEqual([])
  })

  test('is queried only once if two charts of a report show it', async () => {
    const chart = block('chart', 'type: control\ntitle: T\nmetric: incidents')
    const { queries } = await runReport(report(chart + chart), company.reader)
    expect(queries.map(({ name }) => name)).toEqual(['incidents_by_week'])
  })

  test('without incidents is 0 if it is a count, and null if it is a duration', async () => {
    const body = block(
      'kpi none',
      `- { metric: incidents, where: severity = 'No such' }\n- { metric: time_to_resolve, as: ttr, where: severity = 'No such' }`,
    )
    const result = await runReport(report(body), company.reader)
    expect(rowsOf(result, 'none').map(({ period, incidents, ttr }) => [period, incidents, ttr])).toEqual([
      ['current', 0n, null],
      ['previous', 0n, null],
    ])
  })
})

describe('an error in a metrics block', () => {
  test('is reported with its line and a suggestion, together with all other errors of the report', async () => {
    const body = `${block('kpi summary', "- { metric: incident }\n- { metric: incidents, where: severty = 'Critical' }\n- { metric: pages, as: incidents }\n- { label: X, value: summary.incidents }")}
${block('kpi', '- { metric: time_to_resolve, where: "severity in (Critical, Warning)" }')}
${block('chart', 'type: line\ntitle: T\nmetric: pages\nby: month')}
${block('chart', 'type: bars\ntitle: T\nmetric: incidents\nby: teem')}
${block('table', 'by: team\ncolumns:\n  - { metric: incidents, bat: true }\n  - { metric: page }')}`
    expect(await checked(company, body)).toEqual([
      [6, 'Unknown metric "incident".', 'Did you mean "incidents"?'],
      [7, `Unknown column "severty" in "severty = 'Critical'".`, 'Did you mean "severity"?'],
      [
        8,
        'Two figures of this block have the name "incidents".',
        'Give one of them another name, such as `as: critical`.',
      ],
      [9, 'The key "3.format" is missing.', undefined],
      [
        13,
        'Unknown column "Critical" in "severity in (Critical, Warning)".',
        "Put text in quotes, such as 'Critical'.",
      ],
      [19, 'The metric "pages" is not available by month.', 'Draw it by week.'],
      [26, 'Unknown column "teem" in "teem".', 'Did you mean "team"?'],
      [33, 'Unknown key "bat" in columns.0.', 'Did you mean "bar"?'],
      [34, 'Unknown metric "page".', 'Did you mean "pages"?'],
    ])
  })

  test('lists the chart types that can draw a metric by week', async () => {
    expect(await checked(company, block('chart', 'type: bars\ntitle: T\nmetric: incidents'))).toEqual([
      [
        8,
        'A chart of type bars cannot draw a metric by week.',
        'Use line, control, columns, or write the query yourself.',
      ],
    ])
  })
})

describe('custom metrics', () => {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-'))
  const own = (name: string, metrics: string, body: string) => {
    writeFileSync(join(folder, 'metrics.yaml'), metrics)
    const file = join(folder, `${name}.md`)
    writeFileSync(file, `---\ntitle: T\n---\n${body}`)
    return file
  }
  const unseen = `metrics:
  closed_unseen:
    label: Closed unseen
    share: not acknowledged
    of: not is_open and not muted
    better: lower
`

  test('can be defined in metrics.yaml beside the report', async () => {
    const file = own(
      'unseen',
      unseen,
      `${block('kpi one', '- { metric: closed_unseen }\n- { metric: incidents }')}`,
    )
    const result = await runReport(file, company.reader)
    const [row] = rowsOf(result, 'one')
    expect(Number(row!.closed_unseen) * Number(row!.closed_unseen_n)).toBeGreaterThan(0)
    expect(result.kpis.map(({ label, n }) => [label, n])).toEqual([
      ['Closed unseen', Number(row!.closed_unseen_n)],
      ['Incidents', null],
    ])
  })

  test('that are invalid are reported with their line in metrics.yaml', async () => {
    const wrong = unseen
      .replace('not acknowledged', 'not acknowleged')
      .replace('label: Closed unseen', 'lable: Closed unseen')
    const file = own('wrong', wrong, block('kpi', '- { metric: closed_unseen }'))
    const found = await mistakesOf(file, company.blank)
    expect(found.map((one) => [one.file, one.line, one.message])).toEqual([
      [join(folder, 'metrics.yaml'), 3, 'Unknown key "lable" in metrics.closed_unseen.'],
      [join(folder, 'metrics.yaml'), 3, 'The key "metrics.closed_unseen.label" is missing.'],
      [file, 5, 'Unknown metric "closed_unseen".'],
    ])
    const column = own('column', wrong.replace('lable', 'label'), block('kpi', '- { metric: closed_unseen }'))
    expect(
      (await mistakesOf(column, company.blank)).map((one) => [one.file, one.line, one.message, one.next]),
    ).toEqual([
      [
        join(folder, 'metrics.yaml'),
        3,
        'Unknown column "acknowleged" in "not acknowleged".',
        'Did you mean "acknowledged"?',
      ],
    ])
  })
})
