/**
 * Simulates nights for one or more seeds.
 * Usage: `node dist/simulation/main.js [--seed FIRST] [--seeds N] [--nights N] [--minutes M] [--without NAME,NAME]
 * [--verbose]`
 * Prints one JSON line per seed. If a judge reports something, the simulation is shrunk and printed as one command, and
 * the exit status is 1.
 */
import { parseArgs } from 'node:util'
import { shrink } from './shrink.ts'
import { type Outcome, type Simulation, simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    nights: { type: 'string', default: '60' },
    minutes: { type: 'string', default: 'Infinity' },
    without: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
    'no-shrink': { type: 'boolean', default: false },
  },
})
const startedAt = performance.now()
const without = new Set(values.without.split(',').filter((name) => name !== ''))
for (let k = 0; k < Number(values.seeds); k++) {
  if (performance.now() - startedAt > Number(values.minutes) * 60_000) break
  const simulation: Simulation = {
    seed: Number(values.seed) + k,
    nights: Number(values.nights),
    without,
    ...told(),
  }
  const from = performance.now()
  const outcome = await simulate(simulation)
  const seconds = Math.round((performance.now() - from) / 100) / 10
  console.log(JSON.stringify({ seed: simulation.seed, ...outcome, seconds }))
  if (outcome.verdicts.length > 0) await explain(simulation, outcome)
}

function told(): Pick<Simulation, 'onNight'> {
  if (!values.verbose) return {}
  return {
    onNight: (night, ran) =>
      console.error(
        night,
        ran
          .map(
            ({ status, plan, words }) =>
              `${status} ${JSON.stringify(plan)} ${words.map(({ message }) => message).join(' / ')}`,
          )
          .join('; '),
      ),
  }
}

async function explain(simulation: Simulation, outcome: Outcome) {
  process.exitCode = 1
  const smaller = values['no-shrink']
    ? { ...simulation, nights: outcome.nights }
    : await shrink(simulation, outcome)
  const names = [...(smaller.without ?? [])].join(',')
  console.log(
    `repeat it: node dist/simulation/main.js --seed ${smaller.seed} --nights ${smaller.nights} --without '${names}'`,
  )
}
