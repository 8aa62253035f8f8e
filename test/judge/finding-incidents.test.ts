import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import { cellsOf } from '../../src/render/cells.ts'
import type { FindingsBlock, Inline, TableBlock } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'
import { toMail } from '../../src/render/to-mail.ts'
import type { RunOptions } from '../../src/report/ask-queries.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { worlds } from '../browser/worlds.ts'
import { listLinks, mistakesOfLinks } from '../support/list-links.ts'
import { openReader } from '../support/storage.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { findingWorld, type Plant } from './finding-worlds.ts'

function contentOf(plant: (typeof wanted)[number][0]) {
  if (plant !== 'one alert at a source') return findingWorld(plant, 4).content
  const { content } = findingWorld('a tripled source', 4)
  const incidents = content.incidents.map((one, place) =>
    place % 5 === 0 ? { ...one, title: 'Backup is late' } : one,
  )
  return { ...content, incidents }
}

const numbersOf = (text: readonly Inline[]) => text.filter((node) => node.kind === 'value')

/** The list ids behind the counts in each plant's first sentence. Durations have no list. */
const wanted: readonly (readonly [Plant | 'one alert at a source', string, RegExp, RegExp[]])[] = [
  [
    'a tripled source',
    'reliability-review',
    /rose from/,
    [/^team-.*_channel-.*_previous$/, /^team-.*_channel-[^_]*$/],
  ],
  [
    'nights on one person',
    'reliability-review',
    /night pages/,
    [/^pages_team-.*_person-id-\d+_band-sleep$/, /^pages_team-[^_]*_band-sleep$/],
  ],
  [
    'one alert at a source',
    'reliability-review',
    /rose from \d+ to \d+; \d+ are one alert/,
    [/^team-.*_channel-.*_previous$/, /^team-.*_channel-[^_]*$/, /^team-.*_channel-.*_alert-[^_]*$/],
  ],
]

test.each(wanted)(
  'the lead of a report about %s links to the incidents behind each count',
  async (plant, name, says, lists) => {
    const reader = await openReader(
      await warehouseFile((connection) => inhabit(connection, contentOf(plant))),
      { settings: defaultSettings },
    )
    try {
      const result = await runReport(`reports/${name}.md`, reader, { timezone: 'UTC' })
      const lead = result.blocks.find((block): block is FindingsBlock => block.kind === 'findings')!
      const { text } = lead.lines[0]!
      expect(inlineText(text)).toMatch(says)
      const led = numbersOf(text).flatMap(({ list = null, parts }) =>
        list === null ? [] : [{ list, said: Number(parts.map((part) => part.text).join('')) }],
      )
      expect(led).toHaveLength(lists.length)
      for (const [place, { list, said }] of led.entries()) {
        expect(list).toMatch(lists[place]!)
        expect(result.lists!.lists.find(({ id }) => id === list)!.count).toBe(said)
      }
      const folder = scratch()
      writeReport(result, folder, ['html', 'csv'])
      const page = join(folder, `${name}.html`)
      expect(mistakesOfLinks(page)).toEqual([])
      const [paragraph = ''] = /<div class="lead">.*?<\/p>/s.exec(readFileSync(page, 'utf8')) ?? []
      expect(listLinks(paragraph).map(({ said }) => said)).toEqual(
        expect.arrayContaining(led.map(({ said }) => said)),
      )
      // A mail is sent without the folder of lists.
      expect(toMail(result, null).html).not.toContain(led[0]!.list)
    } finally {
      reader.close()
    }
  },
)

/** Runs the handover report of a company, and adds `count`, which returns the length of a list. */
async function handoverOf(
  company: (connection: DuckDBConnection) => Promise<void>,
  options: RunOptions = {},
) {
  const reader = await openReader(await warehouseFile(company), { settings: defaultSettings })
  try {
    const result = await runReport('reports/on-call-handover.md', reader, options)
    expect(result.warnings).toEqual([])
    const count = (id: string | null | undefined) => result.lists!.lists.find((list) => list.id === id)?.count
    return { ...result, count }
  } finally {
    reader.close()
  }
}

test('every card in the handover report links to the incidents that it counts', async () => {
  const { kpis, count } = await handoverOf(worlds['two thousand']!)
  const cards = kpis.map(({ label, value, link }) => ({
    label,
    said: Number(value.map(({ text }) => text.replace(',', '')).join('')),
    link,
  }))
  expect(cards.filter(({ said }) => said > 0).length).toBeGreaterThan(2)
  for (const { label, said, link } of cards) if (said > 0) expect([label, count(link)]).toEqual([label, said])
})

test.each([
  ['load', {}],
  ['own', { team: 'Checkout' }],
])(
  'each number of pages in the table %s of a handover links to a list of those pages',
  async (name, options) => {
    const { blocks, count } = await handoverOf(
      (connection) => inhabit(connection, findingWorld('nights on one person', 4).content),
      options,
    )
    const load = blocks.find(
      (block): block is TableBlock => block.kind === 'table' && block.data.name === name,
    )!
    const { number } = cellsOf(load.data)
    const columns = ['last_shift', 'pages', 'sleep']
    const cells = columns.flatMap((column) =>
      load.data.rows.slice(0, load.limit).map((row) => ({
        said: number(row, column),
        link: load.links?.get(column)?.get(row),
      })),
    )
    const some = cells.filter(({ said }) => said !== 0)
    expect(some.length).toBeGreaterThanOrEqual(10)
    for (const { said, link } of some) expect(count(link)).toBe(said)
  },
)
