import { beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { Block, ReportResult } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { report, reportOn } from './company-report.ts'
import { company } from './odd-worlds.ts'
import { pageWords } from './page-text.ts'

const NAMES = ['reliability-review', 'executive-summary', 'mtta-mttr', 'severity-trend', 'team-overview']

/** So many incidents on a Wednesday, 40 on the Tuesday before, and a few in earlier months. */
const dayWith = (count: number, acknowledged = count) =>
  warehouseFile((connection) => {
    const on = (ago: number, of: number) =>
      Array.from({ length: of }, (_, place) => ({
        ago: ago - place / 100,
        team: `team ${place % 3}`,
        severity: place % 5 === 0 ? 'Warning' : 'Info',
        ack: place < acknowledged ? 60 * (1 + place) : null,
        close: 3_600 * (2 + place),
        title: `Disk ${'abcdefghijklmnopqrstuvwxyz'[place % 26]} of day ${ago} is full`,
      }))
    return inhabit(
      connection,
      company([...on(5.4, count), ...on(6.4, 40), ...on(40, 3), ...on(80, 3)], { days: 200 }),
    )
  })
const DAY = { period: '2026-10-28..2026-10-29', timezone: 'UTC', lists: false }

async function resultsOf(path: string, names: readonly string[] = NAMES): Promise<ReportResult[]> {
  const reader = await openReader(path, { settings: defaultSettings })
  const sessions = pooled(reader)
  const results: ReportResult[] = []
  for (const name of names) results.push(await runReport(`reports/${name}.md`, sessions, DAY))
  reader.close()
  return results
}

const listIn = (blocks: readonly Block[], count: number) =>
  blocks.filter(
    (block) =>
      block.kind === 'table' && block.data.name === 'few_incidents' && block.data.rows.length === count,
  )
const chartsIn = (blocks: readonly Block[]) =>
  blocks.flatMap((block) => (block.kind === 'chart' ? block.spec.type : []))

describe('a period with 19 incidents', () => {
  let results: ReportResult[]
  beforeAll(async () => {
    results = await resultsOf(await dayWith(19))
  })

  test('is shown as a list of them', () => {
    for (const { name, blocks } of results) expect([name, listIn(blocks, 19).length]).toEqual([name, 1])
    const words = pageWords(toHtml(results[0]!)).join(' ')
    for (const letter of 'abcdefghijklmnopqrs') expect(words).toContain(`Disk ${letter} of day 5.4 is full`)
  })

  test('has at most three cards, without intervals and verdicts', () => {
    for (const { name, kpis } of results) {
      expect([name, kpis.length <= 3]).toEqual([name, true])
      for (const card of kpis) expect([card.interval, card.trend]).toEqual([null, []])
    }
    expect(results[0]!.kpis.map(({ label, change }) => [label, change?.verdict])).toEqual([
      ['Incidents', 'previously 40'],
      ['High-severity incidents', 'previously 8'],
      ['Time to acknowledge', undefined],
    ])
  })

  test('omits charts of distributions, and percentages and intervals in tables', () => {
    for (const { name, blocks } of results) {
      expect([name, chartsIn(blocks).filter((type) => type !== 'columns')]).toEqual([name, []])
      for (const block of blocks)
        if (block.kind === 'table')
          for (const { column, format, interval } of block.columns)
            expect([name, column, format !== 'percent' && interval === null]).toEqual([name, column, true])
    }
  })

  test('names what remains in the folded part', () => {
    const folds = results.map(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'heading' && block.folded ? inlineText(block.content) : [])),
    )
    expect(folds).toEqual([
      ['More: noisiest channels, load by team, incidents by month'],
      ['More: acknowledged and resolved within target'],
      ['More: by other definitions, incidents by month'],
      ['More: share by severity, change per 4 weeks'],
      [],
    ])
  })

  test('links only to charts on the page', () => {
    for (const result of results) {
      const page = toHtml(result)
      for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${anchor}"`)
    }
  })
})

test('a period with 20 incidents is summarized', async () => {
  const [review] = await resultsOf(await dayWith(20), ['reliability-review'])
  expect(listIn(review!.blocks, 20)).toEqual([])
  expect(chartsIn(review!.blocks)).toContain('percentiles')
})

test('a card with a median needs 8 incidents', async () => {
  const [review, times] = await resultsOf(await dayWith(12, 7), ['reliability-review', 'mtta-mttr'])
  expect(review!.kpis.map(({ label }) => label)).not.toContain('Time to acknowledge')
  expect(times!.kpis.map(({ label }) => label)).toEqual(['Time to resolve'])
  expect(times!.verdict).not.toContain('time to acknowledge')
  expect(times!.verdict).toContain('Median time to resolve')
})

test('a report of a user keeps its own tables and its counts by month', async () => {
  const block = (kind: string, text: string) => `\`\`\`${kind}\n${text}\n\`\`\`\n`
  const made = report(
    [
      block('findings', 'about: [open]'),
      block('kpi', '- { metric: incidents }'),
      block('chart', 'type: columns\ntitle: By month\nmetric: incidents\nby: month'),
      '## Owners\n',
      block('sql owners', "select 'Ana' as owner, 3 as services, 0.5 as share"),
      block('table', 'data: owners\ncolumns: [owner, services, { column: share, format: percent }]'),
    ].join('\n'),
  )
  const { blocks } = await reportOn(await dayWith(5), made, DAY)
  const tables = blocks.flatMap((one) =>
    one.kind === 'table' ? [one.columns.map(({ column }) => column)] : [],
  )
  expect(tables.at(-1)).toEqual(['owner', 'services'])
  expect(chartsIn(blocks)).toEqual(['columns'])
  expect(blocks.some(({ kind }) => kind === 'heading')).toBe(true)
})
