import { beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import { runReport } from '../../src/page/run-report.ts'
import { words } from '../../src/render/summary.ts'
import { targetText } from '../../src/render/text.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
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
/** 78 Info incidents over 26 weeks. In some of the last 13 weeks all of them are late. */
const storms = Array.from({ length: 78 }, (_, place) => {
  const ago = 1 + place * 2.33
  return { ago, severity: 'Info', ack: ago < 91 && Math.floor(ago / 7) % 3 === 0 ? 3_000 : 60 }
})
let file = ''
beforeAll(async () => {
  file = await warehouseFile((connection) => inhabit(connection, company([...made, ...storms])))
})

/** Runs a report of one card with these targets. */
async function saidOf(targets: object, where: string) {
  const { reporting } = readConfig(JSON.stringify({ reporting: { targets } }), 'c.json').data
  const reader = await openReader(file, { settings: settingsOf(reporting) })
  const card = `- { metric: acknowledged_in_time, as: ack, where: "${where}" }`
  const text = `\`\`\`kpi\n${card}\n\`\`\`\n\n\`\`\`sql held\nfrom targets_of('scoped_incidents')\n\`\`\`\n`
  const { kpis, queries, verdicts } = await runReport(report(text), reader)
  reader.close()
  const held = objectsOf(queries.find(({ name }) => name === 'held')!)
  const [verdict] = objectsOf(verdicts)
  return {
    card: kpis[0]!,
    said: kpis[0]!.target && words(targetText(kpis[0]!.target)),
    held,
    verdict: verdict!,
  }
}
const goals = (critical: number | null, warning: number | null) => ({
  defaults: false,
  Critical: { ack: '5m', ackGoal: critical },
  Warning: { ack: '15m', ackGoal: warning },
})

test('a card shows an objective if all its incidents share one, but no check mark if a severity misses its own', async () => {
  // 90 % of all are in time, but every Critical is late.
  expect((await saidOf(goals(0.5, 0.5), 'true')).said).toBeNull()
  expect((await saidOf(goals(0.5, null), 'true')).said).toBeNull()
  expect((await saidOf(goals(0.99, 0.6), 'true')).said).toBeNull()
  expect((await saidOf(goals(0.99, 0.99), 'true')).said).toBe('✗ Objective: at least 99%')
  expect((await saidOf(goals(0.99, 0.6), "severity = 'Warning'")).said).toBe('✓ Objective: at least 60%')
})

test('a share has the same interval on its card and in the target table', async () => {
  const { held, verdict } = await saidOf({ Info: { ack: '5m', ackGoal: 0.5 } }, "severity = 'Info'")
  const { low, high } = held.find(
    ({ severity, measure }) => severity === 'Info' && measure === 'acknowledge',
  )!
  expect([verdict.low, verdict.high]).toEqual([low, high])
})
