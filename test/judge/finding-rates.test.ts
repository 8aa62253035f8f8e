import { readFileSync } from 'node:fs'
import { describe, expect, inject, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { linesOf } from '../page/stated-figures.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { findingWorld, morePlants, type Plant, plants } from './finding-worlds.ts'

/**
 * How often the lead is right in generated companies. `npm run test:slow` draws five companies of each kind, and
 * `npm run test:release` draws 40, and 200 without a change.
 */
const objectives = {
  ...defaultSettings,
  targets: defaultSettings.targets.map((target) => ({ ...target, ack_goal: 0.92, resolve_goal: 0.85 })),
}

const REVIEW = 'reports/reliability-review.md'
/** The review with its lead and its cards only. All findings are computed from these and the incidents. */
const text = [...readFileSync(REVIEW, 'utf8').matchAll(/^(---|```(?:findings|kpi))[\s\S]*?^(---|```)$/gm)]
  .map(([block]) => block)
  .join('\n\n')

/** Returns the leads that are wrong, and the number of companies. */
async function wrongLeads(plant: Plant, companies: number): Promise<string[]> {
  const wrong: string[] = []
  for (let seed = 1; seed <= companies; seed++) {
    const { content, named } = findingWorld(plant, seed)
    const file = await warehouseFile((connection) => inhabit(connection, content))
    const reader = await openReader(file, { settings: objectives })
    const [first] = linesOf(await runReport(REVIEW, reader, { text, timezone: 'UTC', lists: false }))
    reader.close()
    if (named === null ? first !== undefined : !named.test(first ?? ''))
      wrong.push(`seed ${seed}: ${first ?? 'nothing'}`)
  }
  return wrong
}

describe('the first sentence of a reliability review', () => {
  const companies = inject('isRelease') ? 40 : 5
  test.each([...plants, ...morePlants].filter((plant) => plant !== 'nothing'))(
    'names %s in at least 35 of 40 companies with that change',
    async (plant) => {
      const wrong = await wrongLeads(plant, companies)
      expect(wrong.length / companies, wrong.join('\n')).toBeLessThanOrEqual(5 / 40)
    },
    3_600_000,
  )

  test('reports no finding for at least 180 of 200 companies without a change', async () => {
    const all = inject('isRelease') ? 200 : 5
    const wrong = await wrongLeads('nothing', all)
    expect(wrong.length / all, wrong.join('\n')).toBeLessThanOrEqual(20 / 200)
  }, 3_600_000)
})
