import { describe, expect, test } from 'vitest'
import { plain } from '../../src/render/format.ts'
import type { KpiCard, ReportResult } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { reportOn } from '../page/company-report.ts'
import { insert } from '../support/tables.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'

const DAY = 86_400
const end = Date.UTC(2026, 9, 5) / 1_000
const period = '2026-07-06..2026-10-05'

interface One {
  start: number
  ack?: number
  close?: number
  severity?: string
  closer?: number
}

/** Three incidents a day over the last `days`, with the fields from `of`. */
const daily = (days: number, of: (day: number, k: number) => Partial<One>): One[] =>
  Array.from({ length: 3 * days }, (_, index) => {
    const [day, k] = [Math.floor(index / 3), index % 3]
    return { start: end - (days - day) * DAY + k * 7 * 3_600, ...of(days - day, k) }
  })

async function report(
  name: string,
  incidents: readonly One[],
  { settings = defaultSettings, windows = [] as object[] }: { settings?: Settings; windows?: object[] } = {},
): Promise<ReportResult> {
  const file = await warehouseFile(async (connection) => {
    const rows = incidents.map(({ start, ack = 300, close = 3_600, severity = 'Info', closer = 7 }, id) => {
      const closed = start + close <= end + DAY
      return {
        incident_id: String(id).padStart(24, '0'),
        incident_severity: severity,
        progress: closed ? 'Closed' : 'Processing',
        start_time: start,
        ack_time: start + ack <= end + DAY ? start + ack : 0,
        close_time: closed ? start + close : 0,
        closer_id: closed ? closer : 0,
        updated_at: end + DAY,
      }
    })
    await insert(connection, 'incidents', rows)
    await insert(connection, 'sync_runs', [
      { run_id: 1, status: 'ok', finished_at: end + DAY, as_of_at: end + DAY },
    ])
    await insert(connection, 'sync_windows', windows)
  })
  const path = name.endsWith('.md') ? name : `reports/${name}.md`
  return reportOn(file, path, { period, timezone: 'UTC', settings })
}

const card = ({ kpis }: ReportResult, label: string): KpiCard => kpis.find((one) => one.label === label)!

describe('a report card', () => {
  test('shows an improvement for the cohort `closed` when response times fall to a twelfth', async () => {
    const faster = daily(182, (ago, k) => ({
      // Equal times would look like a timer, which is not compared.
      close: (ago > 91 ? 12 : 1) * 3_600 * (1 + k / 3) + (ago % 9) * 40,
      ack: ago > 91 ? 3_000 : 300,
    }))
    const times = await report('mtta-mttr', faster, { settings: cohortClosed })
    for (const label of ['Time to acknowledge', 'Time to resolve'])
      expect(card(times, label).change).toMatchObject({ tone: 'better', direction: 'down' })
  })

  test('shows no comparison if the previous period was synced only partly', async () => {
    const window = (id: number, from: number, to: number, state: string) => ({
      window_id: id,
      run_id: 1,
      resource: 'incidents',
      state,
      window_start: end - from * DAY,
      window_end: end - to * DAY,
    })
    const windows = [window(1, 190, 160, 'done'), window(2, 160, 91, 'failed'), window(3, 91, 0, 'done')]
    const unread = daily(190, () => ({})).filter(
      ({ start }) => start < end - 160 * DAY || start >= end - 91 * DAY,
    )
    const result = await report('severity-trend', unread, { windows })
    expect(card(result, 'Incidents').change).toMatchObject({ tone: 'same', previous: null })
    expect(result.frame.previousLabel).toBeNull()
  })

  test('follows up both periods for the same length of time when it compares resolve times', async () => {
    // Incidents last weeks, so recent ones are still open at the end of both periods.
    const slow = daily(182, (ago, k) => ({
      close: (ago > 91 ? 15 : 40) * DAY * (0.1 + ((ago * 7 + k * 11) % 31) / 20),
    }))
    const own = reportFile('```kpi summary\n- { metric: time_to_close, as: ttr_all }\n```\n')
    const result = await report(own, slow)
    const { change } = card(result, 'Time to resolve (all closed)')
    expect(change).toMatchObject({ tone: 'worse', direction: 'up' })
    const row = result.verdicts.rows.find(([figure]) => figure === 'summary.ttr_all')!
    const [value, before, moved] = [row[3], row[7], row[8]].map(Number) as [number, number, number]
    expect(value / before - 1).toBeCloseTo(moved, 9)
    // By now, more incidents of the previous period are closed, so the median is longer.
    const whole = result.queries.find(({ name }) => name === 'summary')!
    const at = whole.columns.findIndex(({ name }) => name === 'ttr_all')
    expect(before).toBeLessThan(Number(whole.rows.find(([of]) => of === 'previous')![at]))
  })

  test('counts an incident acknowledged before its start as acknowledged, in both periods', async () => {
    const early = daily(182, (ago, k) => ({ ack: ago > 91 && k === 0 ? -60 : 300 }))
    const own = reportFile('```kpi summary\n- { metric: acknowledged }\n```\n')
    const { value, change } = card(await report(own, early), 'Acknowledged')
    expect(plain(value)).toMatch(/^100/)
    expect(change).toMatchObject({ tone: 'same', direction: 'none' })
  })
})

const cohortClosed: Settings = {
  ...defaultSettings,
  policies: defaultSettings.policies.map((one) =>
    one.name === 'cohort' ? { ...one, value: 'closed' } : one,
  ),
}

test('the sample size of a survival estimate includes open incidents', async () => {
  const half = daily(182, (ago, k) => ({ close: k === 0 && ago <= 91 ? 400 * DAY : 3_600 * (1 + k) }))
  const result = await report('mtta-mttr', half)
  expect(card(result, 'Time to resolve').n).toBe(3 * 91)
  const paragraphs = result.blocks.flatMap((block) =>
    block.kind === 'paragraph' ? [inlineText(block.content)] : [],
  )
  expect(paragraphs.join(' ')).toContain('because 10% or more are still open (91).')
})

test('a report on unhandled incidents omits sentences whose figures are missing', async () => {
  const { blocks } = await report(
    'mtta-mttr',
    daily(91, () => ({ ack: 400 * DAY, closer: 0 })),
  )
  const paragraphs = blocks.flatMap((block) =>
    block.kind === 'paragraph' ? [inlineText(block.content)] : [],
  )
  expect(paragraphs).toEqual([])
})

test('a twelve-month trend with the cohort `closed` counts incidents by close time', async () => {
  // Counted by start, the last weeks would be empty.
  const late = daily(400, () => ({ close: 30 * DAY }))
  const { queries } = await report('severity-trend', late, { settings: cohortClosed })
  const trends = queries.find(({ name }) => name === 'trends')!
  const at = (column: string) => trends.columns.findIndex((each) => each.name === column)
  const year = trends.rows.find((row) => row[at('span')] === 'year' && row[at('severity')] === 'All')!
  expect(Number(year[at('incidents')])).toBe(3 * 364)
  expect(year[at('ratio')]).toBeCloseTo(1, 3)
})

test('a severity trend begins on the day of the earliest synced data', async () => {
  const { queries } = await report(
    'severity-trend',
    daily(42, () => ({})),
  )
  const trends = queries.find(({ name }) => name === 'trends')!
  const at = (column: string) => trends.columns.findIndex(({ name }) => name === column)
  const all = trends.rows.find((row) => row[at('span')] === 'period' && row[at('severity')] === 'All')!
  expect(all[at('ratio')]).toBeCloseTo(1, 6)
})
