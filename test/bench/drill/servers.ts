import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Machine } from './machines.js'

/** A server that can be stopped and started again, with what it has on disk. */
export interface Server {
  readonly address: string
  readonly port: number
  /** @param signal SIGKILL is a power failure, as far as a process can have one */
  restart(signal: NodeJS.Signals, awayMs: number): Promise<void>
  stop(): Promise<void>
}

export const PASSWORD = 'of the drill'
export const KEY = 'faultline'
const DEBIAN = '/usr/lib/postgresql'

/** PostgreSQL, as its own user where this is root: it refuses to be root. It writes to disk as it would for anybody. */
export async function startPostgres(machine: Machine, folder: string): Promise<Server> {
  const isRoot = process.getuid?.() === 0
  const data = join(folder, 'postgres')
  mkdirSync(data)
  const bin = join(DEBIAN, readdirSync(DEBIAN).sort().at(-1)!, 'bin')
  const secret = join(folder, 'password')
  writeFileSync(secret, PASSWORD)
  const [uid, gid] = ['-u', '-g'].map((what) =>
    isRoot ? Number(spawnSync('id', [what, 'postgres'], { encoding: 'utf8' }).stdout) : undefined,
  )
  const user = isRoot ? { uid: uid!, gid: gid! } : {}
  if (isRoot) for (const path of [data, secret]) chownSync(path, uid!, gid!)
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'faultline', '-A', 'scram-sha-256', '--pwfile', secret, '-E', 'UTF8'],
    { ...user, cwd: data, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(made.stderr)
  appendFileSync(join(data, 'pg_hba.conf'), 'host all all samenet scram-sha-256\n')
  const as = isRoot ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : []
  const options = [
    '-D',
    data,
    '-p',
    '5433',
    '-k',
    data,
    '-c',
    'listen_addresses=*',
    '-c',
    'max_connections=500',
  ]
  const words = [...as, join(bin, 'postgres'), ...options]
  return server(machine, 5_433, words, { cwd: data })
}

/** Redis, which keeps nothing. */
export function startRedis(machine: Machine): Promise<Server> {
  const options = ['--port', '6390', '--save', '', '--appendonly', 'no', '--protected-mode', 'no']
  return server(machine, 6_390, ['redis-server', '--bind', machine.address, ...options])
}

/** MinIO, with a bucket `rows`. */
export async function startStore(machine: Machine, folder: string, program: string): Promise<Server> {
  const data = join(folder, 'store')
  mkdirSync(join(data, 'rows'), { recursive: true })
  const env = { ...process.env, MINIO_ROOT_USER: KEY, MINIO_ROOT_PASSWORD: PASSWORD, MINIO_BROWSER: 'off' }
  return server(machine, 9_010, [program, 'server', '--quiet', '--address', ':9010', data], { env })
}

async function server(
  machine: Machine,
  port: number,
  [program, ...args]: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Server> {
  const { address } = machine
  const begin = async () => {
    const started = machine.spawn(program!, args, { ...options, stdio: 'ignore' })
    for (let tried = 0; !(await answers(address, port)); tried++) {
      if (tried > 300 || started.exitCode !== null) throw new Error(`${program} does not start`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return started
  }
  let child = await begin()
  const end = async (one: ChildProcess, signal: NodeJS.Signals) => {
    if (one.exitCode !== null || one.signalCode !== null) return
    const ended = once(one, 'close')
    one.kill(signal)
    await ended
  }
  return {
    address,
    port,
    async restart(signal, awayMs) {
      await end(child, signal)
      await new Promise((resolve) => setTimeout(resolve, awayMs))
      child = await begin()
    },
    stop: () => end(child, 'SIGINT'),
  }
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    const end = (is: boolean) => () => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', end(true)).once('error', end(false)).setTimeout(1_000, end(false))
  })
}

export function createDatabase({ address, port }: Server, name: string): void {
  const where = ['-h', address, '-p', String(port), '-U', 'faultline', '-d', 'postgres', '-X']
  const env = { ...process.env, PGPASSWORD: PASSWORD }
  const done = spawnSync('psql', [...where, '-c', `create database "${name}"`], { env, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
}
