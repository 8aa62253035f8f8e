import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the path of a Python with the packages of a requirements file. Installs it once, outside of the checkout, and
 * reuses it.
 */
export function pythonWith(requirements: string): string {
  const name = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const folder = join(tmpdir(), `faultline-peers-${name}`)
  const python = join(folder, 'bin', 'python')
  const finished = join(folder, 'finished')
  if (existsSync(finished)) return python
  rmSync(folder, { recursive: true, force: true })
  console.error(`installing ${requirements} into ${folder}; this takes a minute or two`)
  run('python3', ['-m', 'venv', folder])
  run(python, ['-m', 'pip', 'install', '--quiet', '--requirement', requirements])
  writeFileSync(finished, '')
  return python
}

function run(program: string, args: readonly string[]) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status === 0) return
  const lines = (error?.message ?? stderr).trim().split('\n').slice(-5)
  throw new Error(`${program} ${args.slice(0, 3).join(' ')} failed:\n${lines.join('\n')}`)
}
