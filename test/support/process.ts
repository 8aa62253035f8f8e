import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/bin/faultline.js', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** The command that runs the built command line with a maximum size for each file that it writes. */
export const withFilesUpTo = (kiB: number) =>
  ['bash', '-c', `ulimit -f ${kiB}; exec "$0" "$@"`, process.execPath, MAIN] as const

export interface Running {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
}

/** Returns the environment of a command, which inherits nothing but the path from the tests. */
export const environmentOf = (own: Record<string, string>) => ({
  PATH: process.env.PATH ?? '',
  TZ: 'America/New_York',
  ...own,
})

/** Starts the built command line, or another `program`, for tests of signals, streams, memory and files. */
export function start(
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd?: string,
  program: readonly [string, ...string[]] = [process.execPath, MAIN],
): Running {
  const [command, ...first] = program
  const child = spawn(command, [...first, ...args], {
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, out, err }))
  })
  return { process: child, ended }
}
