import { afterAll, expect, test } from 'vitest'
import { runReport } from '../../src/report/run.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'
import { type Fact, facts, plant, settingsFor, teamsOf } from './planted.ts'
import { leadOf, linesOf } from './said-figures.ts'

/** A short review with a complete lead and a card of each kind. */
const review = reportFile(`\`\`\`findings
\`\`\`

\`\`\`kpi
- { metric: incidents }
- { metric: serious_incidents }
- { metric: time_to_acknowledge }
- { metric: time_to_resolve }
- { metric: outside_working_hours }
\`\`\`
`)
const readers: Reader[] = []
afterAll(() => {
  for (const reader of readers) reader.close()
})

/** Findings, colored cards and next step in the review of each seed. */
async function saidOf(fact: Fact, count: number) {
  const seeds = Array.from({ length: count }, (_, seed) => seed + 1)
  const reader = await openReader(await warehouseFile((connection) => plant(connection, fact, seeds)), {
    settings: settingsFor(fact),
  })
  readers.push(reader)
  const pool = pooled(reader, { timesKept: true })
  const said = []
  for (const seed of seeds) {
    const result = await runReport(review, pool, { timezone: 'UTC', team: teamsOf(seed) })
    const coloured = result.kpis.filter(({ change }) => change !== null && change.tone !== 'same')
    said.push({
      lines: linesOf(result),
      verdict: result.verdict,
      coloured: coloured.map(({ label }) => label),
      next: leadOf(result).next,
    })
  }
  return said
}

const planted = (Object.keys(facts) as Fact[]).filter((fact) => facts[fact] !== null)
const count = 40

test.each(planted)(
  '%s is named first',
  async (fact) => {
    const said = await saidOf(fact, count)
    const firsts = said.map(({ lines }) => lines[0] ?? '(nothing)')
    const missed = firsts.filter((line) => !facts[fact]!.test(line))
    expect(missed.length).toBeLessThanOrEqual(count / 8)
  },
  900_000,
)

test('an unchanged company rarely gets a finding, a colored card or a next step', async () => {
  const n = count * 5
  const said = await saidOf('nothing', n)
  const wrong = said.filter(({ lines, coloured, next }) => lines.length + coloured.length + next.length > 0)
  expect(wrong.length).toBeLessThanOrEqual(n / 10)
}, 1_800_000)
