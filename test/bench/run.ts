/** `npm run bench` runs short versions of the measurements in test/bench/README.md, each as a separate process. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { hasReal } from './pages.js'

const RUNS = [
  ...(hasReal ? [['load', '50000', '--real']] : []),
  ['load', '50000'],
  ['sync', '20000'],
  ['sync', '100000'],
  ['reports', '100000'],
]

for (const [name, ...args] of RUNS) {
  console.log(`\n${[name, ...args].join(' ')}`)
  const file = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
  const { status } = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
