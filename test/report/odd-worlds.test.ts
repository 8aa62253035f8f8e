import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import type { Block, Inline, ReportResult } from '../../src/render/result.ts'
import { words } from '../../src/render/summary.ts'
import { basisText, inlineText, leadParagraphs } from '../../src/render/text.ts'
import { listReports } from '../../src/report/list.ts'
import { runReport } from '../../src/report/run.ts'
import { objectsOf } from '../../src/warehouse/read/objects-of.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { oddWorlds } from './odd-worlds.ts'

/** No page makes a sentence of nothing, of one, or of what was not there. */
const names = listReports('reports').map(({ name }) => name)
const shown = Object.keys(oddWorlds).slice(0, inject('isFast') ? 1 : undefined)

describe.each(shown)('of a company with %s', (world) => {
  let reader: Reader
  const results = new Map<string, ReportResult>()
  beforeAll(async () => {
    reader = await openReader(await warehouseFile((connection) => inhabit(connection, oddWorlds[world]!)), {
      settings: defaultSettings,
    })
    for (const name of names)
      results.set(name, await runReport(`reports/${name}.md`, pooled(reader), { timezone: 'UTC' }))
  }, 120_000)
  afterAll(() => reader?.close())

  test.each(names)('%s has no sentence of dashes, and none that miscounts', (name) => {
    const texts = results.get(name)!.blocks.flatMap(textsOf)
    expect(texts.filter(hasDash).map(inlineText)).toEqual([])
    const said = texts.map((text) => words(inlineText(text)))
    expect(said.filter((text) => /\b1 (serious )?(incidents|calls|teams|people|pages)\b/.test(text))).toEqual(
      [],
    )
    expect(said.filter((text) => /; 0 (a week|in as many) is usual|\(\s*to\s*\)/.test(text))).toEqual([])
  })

  test.each(names)('%s grows nothing from none, and is sure of no goal that could be missed', (name) => {
    const { kpis, queries, blocks } = results.get(name)!
    for (const { change } of kpis) if (change) expect(basisText(change)).not.toMatch(/before 0 \(.*%/)
    for (const { data } of blocks.flatMap((block) =>
      block.kind === 'table' && block.data.name === 'targets' ? [block] : [],
    ))
      for (const { verdict, decided } of objectsOf(data))
        if (decided !== undefined && Number(decided) < 8) expect([null, 'too few to say']).toContain(verdict)
    const ranked = queries.find((query) => query.name === 'ranked')
    for (const { before, change_low: low } of ranked ? objectsOf(ranked) : [])
      if (Number(before) === 0) expect(low).toBeNull()
  })

  test.each(names)('%s says no share of fewer than 8', (name) => {
    const { counted, blocks } = results.get(name)!
    const incidents = counted.funnel.find(({ label }) => label === 'counted')!.count
    if (incidents >= 8) return
    const said = blocks.flatMap(textsOf).map((text) => words(inlineText(text)).replaceAll('95 %', ''))
    expect(said.filter((text) => text.includes('%'))).toEqual([])
  })

  test('the review praises nothing that was not done', () => {
    const { blocks } = results.get('reliability-review')!
    const titles = blocks.flatMap(textsOf).map((text) => words(inlineText(text)))
    if (world === 'nothing but Info')
      expect(emptyOf(results.get('reliability-review')!, 'unlearned')).toBe(
        'No serious incident of this period was closed.',
      )
    if (world === 'most of it open') {
      expect(titles).toContainEqual(
        expect.stringMatching(/^Resolved of those that people took on: \d+ of \d+$/),
      )
      expect(titles.join()).not.toContain('closed, half were resolved within')
    }
  })

  test('the summary counts no calls that nobody can know of, and its headline is of what it draws', () => {
    const result = results.get('executive-summary')!
    if (world === 'no assignments') {
      expect(result.verdict).not.toContain('calls at night')
      expect(emptyOf(result, 'night_teams')).toBe('Nobody was assigned to anything in this period.')
    }
    if (world === 'nothing but Info')
      expect(emptyOf(result, 'targets')).toBe('No Critical or Warning incident with a target.')
    for (const block of result.blocks)
      if (block.kind === 'chart' && block.data.name === 'monthly_severity')
        expect(inlineText(block.title)).not.toContain('Info')
  })

  test('what is new is said to be new', () => {
    const said = results.get('reliability-review')!.verdict
    if (world === 'a team born last week') {
      const foxtrot = objectsOf(
        results.get('team-overview')!.queries.find(({ name }) => name === 'ranked')!,
      ).find(({ team }) => team === 'Foxtrot')!
      expect(foxtrot.verdict).toBe('new since 27 Oct')
      expect(said).not.toMatch(/Foxtrot came to/)
    }
    if (world === 'a severity that is new') expect(said).toMatch(/Info is new since 13\u00a0Aug/)
    if (world === 'three weeks of age') {
      expect(said).not.toMatch(/usual|than before/)
      expect(
        results.get('team-overview')!.kpis.find(({ label }) => label === 'Clearly more')!.value[0]!.text,
      ).toBe('–')
    }
  })
})

/** What stands in place of a table without rows. */
function emptyOf({ blocks }: ReportResult, query: string): string | undefined {
  const tables = blocks.flatMap((block) => (block.kind === 'table' ? [block] : []))
  return tables.find(({ data }) => data.name === query && data.rows.length === 0)?.empty
}

/** Every text of a block in which figures stand. */
function textsOf(block: Block): (readonly Inline[])[] {
  if (block.kind === 'findings') return leadParagraphs(block)
  if (block.kind === 'heading' || block.kind === 'paragraph') return [block.content]
  if (block.kind === 'list') return [...block.items]
  if (block.kind === 'kpis') return []
  return [block.title, block.subtitle]
}

/** Whether a figure is the dash of what is not known. */
function hasDash(text: readonly Inline[]): boolean {
  return text.some((node) =>
    'content' in node
      ? hasDash(node.content)
      : node.kind === 'value' && node.parts.some((part) => part.text === '–'),
  )
}
