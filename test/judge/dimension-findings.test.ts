import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { leadOf, linesOf } from '../page/stated-figures.ts'
import { seeded } from '../support/random.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { findingWorld, type Plant, readAt } from './finding-worlds.ts'

const review = reportFile(`\`\`\`findings
\`\`\`

\`\`\`kpi
- { metric: incidents }
\`\`\`
`)
const settings = {
  ...defaultSettings,
  dimensions: ['service', 'zone'].map((name) => ({ name, source: `label.${name}`, at: '' })),
}
const services = ['accounts', 'billing', 'checkout', 'search', 'stock', 'users']
const isNow = (start: unknown) => Number(start) >= Math.floor(readAt / 86_400) * 86_400 - 13 * 7 * 86_400

type Row = Record<string, unknown>
type Labelled = (one: Row, chance: () => number) => { labels: object; times: number }

/** Opens a company whose incidents have labels and are repeated `times` times. */
async function opened(plant: Plant, of: Labelled) {
  const { content } = findingWorld(plant, 4)
  const chance = seeded(12)
  const incidents = content.incidents.flatMap((one) => {
    const { labels, times } = of(one, chance)
    return Array.from({ length: times }, (_, copy) => ({
      ...{ ...one, labels },
      incident_id: `${copy}${String(one.incident_id).slice(1)}`,
    }))
  })
  return openReader(await warehouseFile((connection) => inhabit(connection, { ...content, incidents })), {
    settings,
  })
}
const readers: Reader[] = []
afterAll(() => {
  for (const reader of readers) reader.close()
})
async function said(reader: Reader): Promise<ReportResult> {
  readers.push(reader)
  return runReport(review, reader, { timezone: 'UTC' })
}

describe('a service whose incidents triple across all teams and channels', () => {
  let result: ReportResult
  let counted: readonly [number, number]
  beforeAll(async () => {
    const seen = [0, 0]
    const reader = await opened('nothing', ({ start_time }, chance) => {
      const service = services[Math.floor(chance() * services.length)]!
      const times = service === 'checkout' && isNow(start_time) ? 3 : 1
      if (service === 'checkout') seen[isNow(start_time) ? 1 : 0]! += times
      // The dimension `zone` splits the incidents in the same way as `service`.
      return { labels: { service, ...(service === 'checkout' ? { zone: 'eu' } : { zone: 'us' }) }, times }
    })
    counted = [seen[0]!, seen[1]!]
    result = await said(reader)
  })

  test('is named first and only once in the lead of a report, with a next step', () => {
    const lines = linesOf(result)
    expect(lines[0]).toMatch(/^Incidents with service checkout rose from \d/)
    expect(lines.join(' ')).not.toMatch(/zone/)
    expect(inlineText(leadOf(result).next)).toContain(
      'look for a common cause of the incidents with service checkout',
    )
  })

  test('is named in the lead of a report, with its number of incidents', () => {
    expect(counted[1]).toBeGreaterThan(300)
    expect(linesOf(result)[0]).toContain(` to ${counted[1].toLocaleString('en')}.`)
    const ids = leadOf(result).lines[0]!.text.flatMap((one) => (one.kind === 'value' && one.list) || [])
    const lists = ids.map((id) => result.lists!.lists.find((one) => one.id === id)!.count)
    expect(lists).toEqual([expect.any(Number), counted[1]])
  })
})

test('a finding is reported only for the channel if a custom dimension has the same values as the channel', async () => {
  const reader = await opened('a tripled source', ({ channel_name }) => ({
    labels: { service: channel_name },
    times: 1,
  }))
  const result = await said(reader)
  expect(linesOf(result)[0]).toMatch(findingWorld('a tripled source', 4).named!)
  expect(linesOf(result).join(' ')).not.toMatch(/service/)
})

test('the lead of a report does not mention unchanged services', async () => {
  const reader = await opened('nothing', (_, chance) => ({
    labels: { service: services[Math.floor(chance() * services.length)]! },
    times: 1,
  }))
  expect(linesOf(await said(reader))).toEqual([])
})
