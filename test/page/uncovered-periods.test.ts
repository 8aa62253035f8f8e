import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { QueryResult, ReportResult } from '../../src/render/result.ts'
import { verdictOf, words } from '../../src/render/summary.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toJson } from '../../src/render/to-json.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { findingWorld, readAt } from '../judge/finding-worlds.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

/** Missing data is not 0, and reports must not compare a partly read period with a complete one. */
const names = listReports('reports').map(({ name }) => name)
const DAY = 86_400
const at = { timezone: 'UTC', lists: false }

/** A warehouse that contains only the last `days` of an older company. */
async function readerOf(days: number) {
  const from = readAt - days * DAY
  const { content } = findingWorld('nothing', 4)
  const incidents = content.incidents.filter(({ start_time }) => Number(start_time) >= from)
  const windows = content.windows.map((window) => ({ ...window, window_start: from }))
  const path = await warehouseFile((connection) => inhabit(connection, { ...content, incidents, windows }))
  const reader = await openReader(path, { settings: defaultSettings })
  return { ...pooled(reader), close: reader.close }
}

describe.each([40, 120])('with %i days of data', (days) => {
  let reader: Awaited<ReturnType<typeof readerOf>>
  beforeAll(async () => {
    reader = await readerOf(days)
  })
  afterAll(() => reader?.close())

  test.each(names)('%s compares only with periods that have data', async (name) => {
    const result = await runReport(`reports/${name}.md`, reader, at)
    const isCompared = result.frame.previousLabel !== null
    expect(isCompared).toBe(days === 120 && isShort(name))
    expect(result.queries.flatMap((query) => saysOfBefore(query)).length > 0).toBe(
      isCompared && hasBefore(name),
    )
    if (isCompared) return
    expect(textsOf(result).flatMap((text) => text.match(comparison) ?? [])).toEqual([])
    expect(result.kpis.map(({ change }) => change?.previous ?? null).filter(Boolean)).toEqual([])
  })
})

describe.each([4])('after a first sync of %i days', (days) => {
  let reader: Awaited<ReturnType<typeof readerOf>>
  beforeAll(async () => {
    reader = await readerOf(days)
  })
  afterAll(() => reader?.close())

  test.each(names)(
    '%s states no usual level, and does not report zero incidents for days without data',
    async (name) => {
      const result = await runReport(`reports/${name}.md`, reader, at)
      const said = textsOf(result)
      expect(
        said.flatMap((text) => text.match(/[^.]{0,60}(?<!a )\busual \d|[^.]{0,60}is usual/g) ?? []),
      ).toEqual([])
      const { share } = result.coverage
      if (share === 0) expect(verdictOf(result)).toMatch(/^No data for this period\./)
      if (share !== null && share < 0.99)
        expect(said.flatMap((text) => text.match(/No (new )?incidents in this period/g) ?? [])).toEqual([])
    },
  )
})

/** Whether the period and the previous one are within 120 days. */
const isShort = (name: string) => ['on-call-handover', 'executive-summary'].includes(name)
const hasBefore = (name: string) => name !== 'on-call-handover'

/** The previous figures in a result, except time series. */
function saysOfBefore({ name, columns, rows }: QueryResult): string[] {
  const place = (column: string) => columns.findIndex((each) => each.name === column)
  if (['week', 'month'].some((bucket) => place(bucket) >= 0)) return []
  return rows.flatMap((row) => [
    ...(row[place('period')] === 'previous' ? [`${name}: a row of the previous period`] : []),
    ...columns.flatMap((column, index) =>
      /(^|_)before($|_)/.test(column.name) && row[index] !== null
        ? [`${name}.${column.name} ${row[index]}`]
        : [],
    ),
  ])
}

const comparison =
  /\bpreviously \d[^.\n]{0,30}|(?:more|fewer)[^.\n]{0,30}than in the previous period: \d+|\bfirst seen(?: on)? \d+\s\w+\b|\b(?:fewer|more|faster|slower|higher|lower), (?:better|worse)/gi

function textsOf(result: ReportResult): string[] {
  const flat = (text: string) =>
    words(text.replace(/<style.*?<\/style>/s, '').replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ')
  const { html, text } = toMail(result, null)
  return [toHtml(result), html, text, toTerminal(result, { width: 200, color: false }), toJson(result)].map(
    flat,
  )
}
