/**
 * A simulated year: every night the clock has moved by a day, and three strategies read the same service: Faultline's
 * sync, everything again, and the last 31 days only.
 * Usage: node dist/bench/year.js [NIGHTS] [--incidents N] [--late SHARE] [--seed N]
 * Prints one JSON line a strategy, and one about the world.
 */
import { parseArgs } from 'node:util'
import { simulateYear } from './year-run.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    incidents: { type: 'string', default: '3000' },
    late: { type: 'string', default: '0.03' },
    seed: { type: 'string', default: '1' },
  },
})
const startedAt = performance.now()
const { rows, ...world } = await simulateYear({
  nights: Number(positionals[0] ?? 365),
  incidents: Number(values.incidents),
  late: Number(values.late),
  seed: Number(values.seed),
  onNight: (night) => {
    if (night % 10 === 0) process.stderr.write(`night ${night}\n`)
  },
})
for (const row of rows) console.log(JSON.stringify(row))
console.log(JSON.stringify({ ...world, minutes: Math.round((performance.now() - startedAt) / 6_000) / 10 }))
