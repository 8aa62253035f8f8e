import { afterAll, expect, test } from 'vitest'
import { inlineText } from '../../src/render/text.ts'
import { runReport } from '../../src/report/run.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'
import { type Fact, plant, settingsFor, teamsOf } from './planted.ts'
import { leadOf, linesOf } from './said-figures.ts'

/** If all teams and channels change alike, the lead must not single out one of them, even if it is significant. */
const lead = '```findings\nabout: [counts, times]\n```\n'
const cards = '```kpi\n- { metric: incidents }\n- { metric: time_to_resolve }\n```\n'
const seeds = Array.from({ length: 10 }, (_, seed) => seed + 1)
const readers: Reader[] = []
afterAll(() => {
  for (const reader of readers) reader.close()
})

/** The findings and the next step of each company's lead. */
async function saidOf(fact: Fact, report: string) {
  const path = await warehouseFile((connection) => plant(connection, fact, seeds))
  const reader = await openReader(path, { settings: settingsFor(fact) })
  readers.push(reader)
  const file = reportFile(report)
  const said = []
  for (const seed of seeds) {
    const result = await runReport(file, pooled(reader), {
      timezone: 'UTC',
      team: teamsOf(seed),
      lists: false,
    })
    said.push({ lines: linesOf(result), next: inlineText(leadOf(result).next) })
  }
  return said
}

/** Whether a line of a lead is about one team or channel. */
const isOfOne = (line: string) => /\b[ABCD][01]? \d+ /.test(line)

test('a rise in all teams is reported for all', async () => {
  for (const { lines, next } of await saidOf('more of all', lead + cards)) {
    expect(lines.join(' ')).toMatch(/Incidents: [\d,]+, \d+% more than in the previous period/)
    expect(lines.filter(isOfOne)).toEqual([])
    expect(next).toBe('')
  }
}, 300_000)

test('slower times in all teams are reported for all', async () => {
  for (const { lines, next } of await saidOf('slower everywhere', lead + cards)) {
    expect(lines[0]).toMatch(/^Time to resolve: .* slower than in the previous period/)
    expect(lines.filter(isOfOne)).toEqual([])
    expect(next).toBe('')
  }
}, 300_000)

test('without cards, a team is reported with the note that the others do not differ', async () => {
  const said = await saidOf('slower everywhere', lead)
  const ofOne = said.flatMap(({ lines }) => lines.filter(isOfOne))
  expect(ofOne.length).toBeGreaterThan(0)
  for (const line of ofOne) expect(line).toMatch(/; the others do not clearly differ\.$/)
  for (const { next } of said) expect(next).toBe('')
}, 300_000)
