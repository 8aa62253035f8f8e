import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { Lake, lakeSchema } from '../../src/settings/lake.ts'
import { extensionFile } from '../../src/warehouse/extensions.ts'
import { freePort } from './free-port.ts'
import { installed } from './python.ts'

/** The folder of DuckDB's extensions. CONTRIBUTING.md describes how to install them. */
const extensions =
  process.env.FAULTLINE_EXTENSIONS ?? fileURLToPath(new URL('../../.extensions', import.meta.url))

const missing = [
  ...['ducklake', 'postgres_scanner'].filter((name) => extensionFile(extensions, name) === undefined),
  ...(programs() === undefined ? ['PostgreSQL'] : []),
]

/** Whether tests that need a lake can run on this machine. */
export const hasLake = missing.length === 0
if (!hasLake) console.warn(`Skipped: a lake needs ${missing.join(', ')}, which are not here.`)

/** The folder of PostgreSQL's programs, which Debian does not add to the path. */
function programs(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian)
    ? readdirSync(debian).map((version) => join(debian, version, 'bin'))
    : []
  const folders = [...(process.env.PATH ?? '').split(':').filter(Boolean), ...versions]
  return folders.findLast((bin) => ['initdb', 'psql'].every((name) => existsSync(join(bin, name))))
}

export const PASSWORD = "it's a secret"

export interface Postgres {
  readonly port: number
  /**
   * Returns a separate lake. `more` has further fields of the setting `lake`. `through` is another port that leads to
   * the server.
   */
  lake(name: string, more?: Readonly<Record<string, unknown>>, through?: number): Lake
  /** Returns the configuration of the lake with this name. */
  config(name: string): { warehouse: string; lake: Readonly<Record<string, unknown>> }
  /** Returns the rows of a statement, as psql prints them. */
  ask(database: string, statement: string): string
  dump(database: string): string
  /** Ends the transactions that hold leases, as PostgreSQL does a minute after the last contact. */
  endLeases(database: string): void
  /** Stops the server, and starts it again once `meanwhile` has ended. */
  restart(meanwhile?: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** Starts a server before the tests of a file or of a `describe`, and stops the server after them. */
export function postgresOfTests(): Postgres {
  const postgres = {} as Postgres
  beforeAll(async () => void Object.assign(postgres, await startPostgres()))
  afterAll(() => postgres.stop?.())
  return postgres
}

/** Starts PostgreSQL on a free port as an unprivileged user, because PostgreSQL refuses to run as root. */
export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-postgres-'))
  const port = await freePort()
  const bin = programs()!
  const user = owner(folder)
  const data = initialized(bin, folder, user)
  const { tell, ask } = clientOf(bin, port)
  const begin = () => began(bin, { folder, data, port, user })
  let server = await begin()
  const end = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'close')
    server.kill('SIGINT')
    await ended
  }
  const config = (name: string) => {
    if (ask('postgres', `select count(*) from pg_database where datname = '${name}'`) === '0')
      ask('postgres', `create database ${name}`)
    const rows = join(folder, `${name}-rows`)
    mkdirSync(rows, { recursive: true })
    return {
      warehouse: `ducklake:postgres:host=127.0.0.1 port=${port} dbname=${name} user=faultline`,
      lake: { data: rows, extensions },
    }
  }
  return {
    port,
    config,
    lake(name, more = {}, through = port) {
      const { warehouse, lake } = config(name)
      const work = mkdtempSync(join(folder, 'machine-'))
      const fields = lakeSchema.parse({ work, ...lake, ...more })
      return new Lake(warehouse.replace(`port=${port}`, `port=${through}`), fields, folder, secretOf)
    },
    ask,
    endLeases: (database) =>
      void ask(
        database,
        `select pg_terminate_backend(pid, 10000) from pg_locks where relation = 'faultline_locks'::regclass`,
      ),
    dump: (database) => tell('pg_dump', database),
    async restart(meanwhile) {
      await end()
      await meanwhile?.()
      server = await begin()
    },
    async stop() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const secrets: Readonly<Record<string, string>> = {
  FAULTLINE_LAKE_PASSWORD: PASSWORD,
  FAULTLINE_S3_SECRET: 'secret of the store',
}
const secretOf = (variable: string) => secrets[variable]

/** PostgreSQL refuses to run as root, so the folder must belong to another user. */
function owner(folder: string): { uid?: number; gid?: number } {
  chmodSync(folder, 0o755)
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((what) => idOf(what)) as [number, number]
  chownSync(folder, uid, gid)
  return { uid, gid }
}

/** Creates the databases of a new server, and returns their folder. */
function initialized(bin: string, folder: string, user: { uid?: number; gid?: number }): string {
  const password = join(folder, 'password')
  writeFileSync(password, PASSWORD, { mode: 0o644 })
  const data = join(folder, 'data')
  const how = ['-U', 'faultline', '-A', 'scram-sha-256', '--pwfile', password, '-N', '-E', 'UTF8']
  const made = spawnSync(join(bin, 'initdb'), ['-D', data, ...how], {
    ...user,
    cwd: folder,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(made.stderr)
  return data
}

/** Runs PostgreSQL’s client programs, and waits until they end. */
function clientOf(bin: string, port: number) {
  const env = { ...process.env, PGPASSWORD: PASSWORD }
  const tell = (program: string, database: string, ...args: string[]) => {
    const where = ['-h', '127.0.0.1', '-p', String(port), '-U', 'faultline', '-d', database]
    const told = spawnSync(join(bin, program), [...where, ...args], { env, encoding: 'utf8', maxBuffer: 1e9 })
    if (told.status !== 0) throw new Error(told.stderr || String(told.error))
    return told.stdout.trim()
  }
  const ask = (database: string, statement: string) =>
    tell('psql', database, '-X', '-At', '-v', 'ON_ERROR_STOP=1', '-c', statement)
  return { tell, ask }
}

async function began(
  bin: string,
  {
    folder,
    data,
    port,
    user,
  }: { folder: string; data: string; port: number; user: ReturnType<typeof owner> },
): Promise<ChildProcess> {
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off']
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), '-k', folder, ...settings], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let told = ''
  for await (const chunk of server.stderr) {
    told += chunk
    if (told.includes('ready to accept connections')) break
  }
  server.stderr.resume()
  return server
}

export interface Store {
  /** Settings of a lake that stores its rows in this store. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Closes all connections to the store, and refuses new ones for this time. */
  away(ms: number): Promise<void>
  stop(): Promise<void>
}

/** Starts an object store from the Python package moto. Undefined if the package cannot be installed. */
export async function startStore(): Promise<Store | undefined> {
  if (extensionFile(extensions, 'httpfs') === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'faultline-store-'))
  if (!installed(['moto[server,s3]'], folder)) return undefined
  const port = await freePort()
  const server = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    env: { ...process.env, PYTHONPATH: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const chunk of server.stderr) if (String(chunk).includes('Running on')) break
  server.stderr.resume()
  const authorization = 'AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request'
  await fetch(`http://127.0.0.1:${port}/rows`, { method: 'PUT', headers: { authorization } })
  // The store keeps its rows in memory, so an outage must not stop the store itself.
  const open = new Set<Socket>()
  let isAway = false
  const door = createServer((socket) => {
    if (isAway) return void socket.destroy()
    const other = connect(port, '127.0.0.1')
    open.add(socket)
    socket.on('close', () => open.delete(socket) && other.destroy()).on('error', () => {})
    other.on('close', () => socket.destroy()).on('error', () => {})
    socket.pipe(other).pipe(socket)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const { port: outer } = door.address() as AddressInfo
  return {
    async away(ms) {
      isAway = true
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => setTimeout(resolve, ms))
      isAway = false
    },
    fields: {
      data: 's3://rows/of/lake',
      extensions,
      s3: { endpoint: `127.0.0.1:${outer}`, urlStyle: 'path', insecure: true, keyId: 'key' },
    },
    async stop() {
      const ended = once(server, 'close')
      server.kill('SIGKILL')
      await ended
      door.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the user id or group id of the user that PostgreSQL's package creates. */
function idOf(what: string): number {
  return Number(spawnSync('id', [what, 'postgres'], { encoding: 'utf8' }).stdout)
}
