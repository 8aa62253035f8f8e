import { describe, expect, test } from 'vitest'
import { viewFiles } from '../../../src/definitions/views.ts'
import { ConfigError } from '../../../src/errors.ts'
import { checkReport } from '../../../src/page/check-report.ts'
import { runReport } from '../../../src/page/run-report.ts'
import { companyReaders, mistake, report, rowsOf, sql } from '../../page/company-report.ts'

const company = companyReaders()

describe('the scope of a report', () => {
  test('provides incidents with every column that macros in sql/ read from the parameter `of_incidents`', async () => {
    const macros = viewFiles().filter(({ body }) => /^[^)]*\bof_incidents :=/.test(body))
    expect(macros.length).toBeGreaterThan(10)
    const queries = macros.map(({ name }) =>
      sql(`q_${name}`, `select count(*) as n from ${name}(of_incidents := 'scoped_incidents')`),
    )
    await checkReport(report(queries.join('\n')), company.reader)
  })

  test('covers the last whole weeks before the data was read, in local time', async () => {
    const { frame } = await runReport(report(''), company.reader)
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

  test('has the same counts as a hand-written query', async () => {
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
      company.reader,
    )
    expect(rowsOf(result, 'scoped')).toEqual(rowsOf(result, 'by_hand'))
    expect(rowsOf(result, 'scoped').map(({ period }) => period)).toEqual(['current', 'previous', 'running'])
  })

  test('contains every week of both periods, and marks partial weeks', async () => {
    const weeks = rowsOf(
      await runReport(report(sql('weeks', 'from scoped_weeks'), '{ period: 2 weeks }'), company.reader),
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

  test('can be limited to teams and severities, and the report states the limits', async () => {
    const file = report(
      sql('seen', 'select distinct team_name, incident_severity from scoped_incidents order by all'),
    )
    const result = await runReport(file, company.reader, { team: 'payments,search', severity: 'critical' })
    expect(rowsOf(result, 'seen')).toEqual(
      ['payments', 'search'].map((team_name) => ({ team_name, incident_severity: 'Critical' })),
    )
    expect(result.frame).toMatchObject({ teams: 'payments, search', severities: 'Critical' })
    const left = result.counted.funnel.find(({ label }) => label.includes('other team or severity'))
    expect(left?.count).toBeGreaterThan(0)
    const steps = result.counted.funnel.slice(0, 6).map((step) => step.count)
    expect(steps.slice(1, 5).reduce((rest, count) => rest - count, steps[0]!)).toBe(steps[5])
  })

  test('limited to one team also limits open incidents and pages to that team', async () => {
    const open = sql('open', 'select distinct team_name, is_open from scoped_open')
    const pages = sql(
      'pages',
      'select period, team_name, count(*) as pages from scoped_pages group by all order by all',
    )
    const narrow = await runReport(report(open + pages), company.reader, { team: 'platform' })
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
    const result = await runReport(report(curve + view), company.reader)
    const [ours, theirs] = [rowsOf(result, 'ours'), rowsOf(result, 'view')]
    expect(ours.length).toBeGreaterThan(300)
    expect(ours.map(({ seconds }) => seconds)).toEqual(theirs.map(({ seconds }) => seconds))
    ours.forEach(({ share }, index) => {
      expect(share).toBeCloseTo(Number(theirs[index]?.share), 9)
    })
  })

  test('rejects an unknown team and suggests the closest team', async () => {
    const error = await mistake(runReport(report(''), company.reader, { team: 'payment' }))
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.next).toBe('Did you mean "payments"?')
  })

  test('uses the time zone of the options before that of the report, the configuration or the account', async () => {
    const zone = async (params: string, options = {}) =>
      (await runReport(report('', params), company.reader, options)).frame.timezone
    expect(
      await zone('{ timezone: Asia/Tokyo }', { timezone: 'America/New_York', defaultTimezone: 'UTC' }),
    ).toBe('America/New_York')
    expect(await zone('{ timezone: Asia/Tokyo }', { defaultTimezone: 'UTC' })).toBe('Asia/Tokyo')
    expect(await zone('{}', { defaultTimezone: 'UTC' })).toBe('UTC')
    expect(await zone('{}')).toBe('Europe/Berlin')
  })
})
