import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { pageWords } from './page-text.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const asOf = Date.UTC(2026, 10, 2) / 1000
/** The Monday between the previous and the current four weeks. */
const first = asOf - 28 * DAY

/** Twenty incidents closed after 1 to 20 hours in each period, plus `extra`. */
function world(extra: object[]) {
  const handled = [-28, 0].flatMap((days) =>
    Array.from({ length: 20 }, (_, place) => {
      const start_time = first + days * DAY + place * DAY
      return { start_time, ack_time: start_time + 60, close_time: start_time + (place + 1) * HOUR }
    }),
  )
  const incidents = [...handled, ...extra].map((incident, place) => ({
    incident_id: `i${place}`,
    num: `N${place}`,
    progress: 'close_time' in incident ? 'Closed' : 'Triggered',
    incident_severity: 'Critical',
    closer_id: 'close_time' in incident ? 7 : 0,
    creator_id: 0,
    alert_cnt: 1,
    ...incident,
  }))
  const covered = { resource: 'incidents', state: 'done', window_start: first - 60 * DAY, window_end: asOf }
  return {
    incidents,
    runs: [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }],
    windows: [{ run_id: 1, ...covered }],
  }
}
const at = first + DAY
const told = [
  { start_time: at, ack_time: at, close_time: at },
  { start_time: at, ack_time: at + 9, close_time: at + 5 },
  { start_time: at, close_time: at + 60, alert_cnt: 0 },
  { start_time: at, close_time: at + 30 * HOUR, ever_muted: true },
]
const still = Array.from({ length: 8 }, () => ({ start_time: at }))

const readerOf = async (extra: object[], settings = defaultSettings) =>
  openReader(await warehouseFile((connection) => inhabit(connection, world(extra))), { settings })
const options = { period: '4 weeks', timezone: 'UTC', lists: false }
let ofTold: Reader
const results = new Map<string, Promise<ReportResult>>()
/** Runs a report on the world with all special cases, once per name. */
function reportOf(name: string): Promise<ReportResult> {
  const made = results.get(name) ?? runReport(`reports/${name}.md`, ofTold, options)
  results.set(name, made)
  return made
}
beforeAll(async () => {
  ofTold = await readerOf(told)
})
afterAll(() => ofTold.close())

const textOf = (result: ReportResult) => pageWords(toHtml(result)).join('\n')

describe('the mtta-mttr report', () => {
  let result: ReportResult
  beforeAll(async () => {
    result = await reportOf('mtta-mttr')
  })

  test('states the number of included and excluded incidents by reason', () => {
    const funnel = Object.fromEntries(result.counted.funnel.map(({ label, count }) => [label, count]))
    expect(funnel).toMatchObject({
      'records in the period': 24,
      'excluded: merged into another incident, which is included': 1,
      included: 23,
      'of which muted: in counts, not in times to acknowledge or resolve': 1,
      'of which acknowledged after 0 s: included': 1,
      'of which resolved after 0 s: included': 1,
      'of which closed before they were acknowledged: both times are used': 1,
    })
  })
})

test('the survival curve in the reliability review states which incidents are included', async () => {
  const { blocks } = await reportOf('reliability-review')
  const [curve] = blocks.flatMap((one) => (one.kind === 'chart' && one.spec.type === 'survival' ? [one] : []))
  expect(curve!.rules.map(({ label }) => label)).toEqual(['median of all'])
  expect(inlineText(curve!.subtitle)).toContain('Share of unmuted incidents not yet closed')
})

describe('the methodology of a report', () => {
  const rules = async (name: string) => {
    const result = await reportOf(name)
    expect(textOf(result)).toContain('How these figures are calculated')
    return new Map(result.counted.rules.map(({ term, text }) => [term, text]))
  }

  test('states the number of comparisons, and how many would be colored by chance', async () => {
    const result = await reportOf('severity-trend')
    const compared = result.verdicts.rows.filter(
      (row) => !/^(no earlier|too|nothing)/.test(String(row.at(-1))),
    )
    expect(compared.length).toBeGreaterThan(2)
    const text = (await rules('severity-trend')).get('Color')
    expect(text).toContain(`This page makes ${compared.length} such comparisons`)
    expect(text).toContain(`about ${compared.length} in 100 such pages`)
  })
})

test.each([
  ['started', /Still open after a day: \d/, /Ticks: open incidents \(censored\)/],
  ['closed', /Took longer than a day: \d/, /open incidents are not included/],
])(
  'the survival chart of the cohort `%s` states whether open incidents are included',
  async (cohort, title, subtitle) => {
    const policies = [
      { name: 'ack', value: 'exclude' },
      { name: 'cohort', value: cohort },
    ]
    const reader = await readerOf(still, { ...defaultSettings, policies })
    const text = textOf(await runReport('reports/reliability-review.md', reader, options))
    reader.close()
    expect(text).toMatch(title)
    expect(text).toMatch(subtitle)
    expect(/Still open after a day: \d/.test(text)).toBe(cohort === 'started')
  },
)
