import { beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { runReport } from '../../src/page/run-report.ts'
import { targetText } from '../../src/page/sentences/card-sentences.ts'
import { words } from '../../src/render/summary.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { report } from './company-report.ts'
import { company } from './odd-worlds.ts'

/** 26 Critical incidents that were acknowledged late, and 234 Warnings acknowledged in time, over 13 weeks. */
const made = Array.from({ length: 260 }, (_, place) => ({
  ago: 1 + place * 0.35,
  severity: place % 10 === 0 ? 'Critical' : 'Warning',
  ack: place % 10 === 0 ? 3_000 : 60,
}))
let file = ''
beforeAll(async () => {
  file = await warehouseFile((connection) => inhabit(connection, company(made)))
})

/** Runs a report of one card with these targets. Returns the objective on the card. */
async function saidOf(targets: object, where: string) {
  const { reporting } = readConfig(JSON.stringify({ reporting: { targets } }), 'c.json').data
  const reader = await openReader(file, { settings: settingsOf(reporting) })
  const card = `- { metric: acknowledged_in_time, as: ack, where: "${where}" }`
  const { kpis } = await runReport(report(`\`\`\`kpi\n${card}\n\`\`\`\n`), reader)
  reader.close()
  const { target } = kpis[0]!
  return target && words(targetText(target))
}
const goals = (critical: number | null, warning: number | null) => ({
  defaults: false,
  Critical: { ack: '5m', ackGoal: critical },
  Warning: { ack: '15m', ackGoal: warning },
})

test('a card does not show an objective as met if one severity on the card misses it', async () => {
  // 90 % of all are in time, but every Critical is late.
  expect(await saidOf(goals(0.5, 0.5), 'true')).toBeNull()
  expect(await saidOf(goals(0.5, null), 'true')).toBeNull()
  expect(await saidOf(goals(0.99, 0.6), 'true')).toBeNull()
  expect(await saidOf(goals(0.99, 0.99), 'true')).toBe('✗ Objective: at least 99%')
  expect(await saidOf(goals(0.99, 0.6), "severity = 'Warning'")).toBe('✓ Objective: at least 60%')
})
