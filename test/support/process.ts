import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/bin/faultline.js', import.meta.url))

/** How a command ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** A command under way, as a process of its own. */
export interface Running {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
}

/** All that a command sees of the environment: nothing of ours leaks in but the path. */
export const environmentOf = (own: Record<string, string>) => ({
  PATH: process.env.PATH ?? '',
  TZ: 'America/New_York',
  ...own,
})

/**
 * Starts the built command line as a process, for what the process is about: signals, streams, memory, files it leaves.
 * @param fileKiB no file may grow larger
 */
export function start(
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd?: string,
  fileKiB?: number,
): Running {
  const own = [process.execPath, MAIN, ...args] as const
  const limited = ['bash', '-c', `ulimit -f ${fileKiB}; exec "$0" "$@"`, ...own] as const
  const [program, ...rest] = fileKiB === undefined ? own : limited
  const child = spawn(program, rest, {
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
