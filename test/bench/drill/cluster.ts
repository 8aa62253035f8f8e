import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '../../../dist/config/config.js'
import type { Lake } from '../../../dist/config/lake.js'
import { askPostgres, leasesOf, onPublished, tellPostgres } from '../../../dist/warehouse/lake/catalogue.js'
import { option } from '../options.js'
import { type Machine, makeMachines } from './machines.js'
import {
  createDatabase,
  KEY,
  PASSWORD,
  type Server,
  startPostgres,
  startRedis,
  startStore,
} from './servers.js'
import { type Service, startService } from './service.js'

const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url))
const READER = fileURLToPath(new URL('./reader-process.js', import.meta.url))

/** `faultline work` on a machine, which can be ended and started again. */
export interface Worker {
  readonly name: string
  readonly pid: number
  isRunning(): boolean
  start(): void
  end(signal: NodeJS.Signals): Promise<void>
  /** Resolves when it has ended. */
  ended(): Promise<unknown>
  /** All that it said. */
  told(): string
}

/** Two machines of workers, the service, and what they share. */
export interface Cluster {
  readonly areApart: boolean
  readonly service: Service
  readonly postgres: Server
  readonly redis: Server
  /** Undefined where the rows lie in a folder. */
  readonly store: Server | undefined
  /** The lake of that name, as a machine of its own sees it. */
  lake(name: string): Lake
  /** Workers of a lake, by turns on the two machines. */
  workers(lake: string, count: number, args: readonly string[]): Worker[]
  /** A reader that looks at the lake until it is stopped. */
  reader(lake: string): Promise<() => Promise<Looked>>
  remove(): Promise<void>
}

/** What a reader saw. */
export interface Looked {
  readonly looks: number
  readonly states: number
  /** Looks that found PostgreSQL or the store away. */
  readonly away: number
  readonly wrong: readonly string[]
}

/** Starts all but the workers. `--minio` names the program of the store. */
export async function startCluster(sizes: readonly number[], hasLimits = true): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-drill-'))
  spawnSync('chmod', ['755', folder])
  process.env.FAULTLINE_LAKE_PASSWORD = PASSWORD
  process.env.FAULTLINE_S3_SECRET = PASSWORD
  const machines = makeMachines(['servers', 'service', 'm1', 'm2', 'reader'])
  const ends: (() => unknown)[] = [
    () => rmSync(folder, { recursive: true, force: true }),
    () => machines.remove(),
  ]
  let removing: Promise<void> | undefined
  const remove = () => {
    removing ??= (async () => {
      for (const end of ends.reverse()) await end()
    })()
    return removing
  }
  try {
    const servers = machines.machine('servers')
    const postgres = await startPostgres(servers, folder)
    ends.push(postgres.stop)
    const redis = await startRedis(servers)
    ends.push(redis.stop)
    const minio = option('minio', '')
    const store = minio === '' ? undefined : await startStore(servers, folder, resolve(minio))
    if (store) ends.push(store.stop)
    const service = await startService(machines.machine('service'), sizes, hasLimits)
    ends.push(service.stop)
    const keys = join(folder, 'keys')
    mkdirSync(keys)
    const accounts = service.accounts.map(({ id, baseUrl, appKey }) => {
      writeFileSync(join(keys, String(id)), appKey)
      return { name: `company ${id}`, baseUrl, appKeyFile: join(keys, String(id)) }
    })
    const known = new Set<string>()
    /** Writes the configuration of a program; programs of a machine share its folder of working files. */
    const configure = (lake: string, machine: string, program: string) => {
      if (!known.has(lake)) createDatabase(postgres, lake)
      known.add(lake)
      const own = join(folder, lake, machine, program)
      mkdirSync(own, { recursive: true })
      const { address, port } = postgres
      const rows = join(folder, lake, 'rows')
      const config = {
        warehouse: `ducklake:postgres:host=${address} port=${port} dbname=${lake} user=faultline application_name=${program}`,
        lake: {
          work: '../work',
          extensions: resolve(process.env.FAULTLINE_EXTENSIONS ?? '.extensions'),
          ...(store === undefined
            ? { data: rows }
            : {
                data: `s3://rows/${lake}/`,
                s3: {
                  ...{ endpoint: `${store.address}:${store.port}`, urlStyle: 'path', insecure: true },
                  keyId: KEY,
                },
              }),
        },
        ...{ accounts, limits: { redis: `redis://${redis.address}:${redis.port}` }, sync: { since: '800d' } },
      }
      writeFileSync(join(own, 'config.json'), JSON.stringify(config))
      return own
    }
    return {
      ...{ areApart: machines.areApart, service, postgres, redis, store, remove },
      lake: (name) =>
        loadConfig({ config: join(configure(name, 'drill', 'drill'), 'config.json') }).warehouse as Lake,
      workers: (lake, count, args) =>
        Array.from({ length: count }, (_, index) => {
          const machine = machines.machine(`m${1 + (index % 2)}`)
          const own = configure(lake, machine.name, `w${index + 1}`)
          const one = worker(machine, own, `w${index + 1}`, args)
          ends.push(() => one.end('SIGKILL'))
          return one
        }),
      async reader(lake) {
        const own = configure(lake, 'reader', 'reader')
        const child = machines
          .machine('reader')
          .spawn(process.execPath, [READER, join(own, 'config.json')], { stdio: ['pipe', 'pipe', 'inherit'] })
        ends.push(() => child.kill('SIGKILL'))
        const lines = createInterface(child.stdout!)[Symbol.asyncIterator]()
        await lines.next()
        return async () => {
          child.stdin!.end()
          return JSON.parse((await lines.next()).value as string) as Looked
        }
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function worker(machine: Machine, own: string, name: string, args: readonly string[]): Worker {
  const log = join(own, 'told.log')
  let child: ChildProcess | undefined
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
  const ended = async () => isRunning() && (await once(child!, 'exit'))
  return {
    name,
    get pid() {
      return child!.pid!
    },
    isRunning,
    start() {
      const out = openSync(log, 'a')
      child = machine.spawn(process.execPath, [MAIN, '--insecure', 'work', ...args], {
        cwd: own,
        stdio: ['ignore', 'ignore', out],
      })
      closeSync(out)
    },
    async end(signal) {
      if (!isRunning()) return
      child!.kill(signal)
      await ended()
    },
    ended,
    told: () => readFileSync(log, 'utf8'),
  }
}

/** Asks PostgreSQL; nothing while it is away. */
export async function ask(lake: Lake, query: string): Promise<(string | bigint | boolean | null)[][]> {
  return leasesOf(lake)
    .then((instance) => askPostgres(instance, query))
    .catch(() => [])
}

export async function tell(lake: Lake, statement: string): Promise<void> {
  await tellPostgres(await leasesOf(lake), statement)
}

/** Files below the place of the rows that the newest state does not need, and those that it needs and are not there. */
export async function strayFiles(
  lake: Lake,
): Promise<{ orphans: string[]; missing: string[]; files: number }> {
  return onPublished(lake, { orphans: [], missing: [], files: 0 }, async (connection) => {
    const texts = async (query: string) =>
      (await connection.runAndReadAll(query)).getRows().map(([text]) => String(text))
    const there = new Set(await texts(`select file from glob('${lake.data}**') where file like '%.parquet'`))
    const tables = await texts(`select table_name from duckdb_tables() where database_name = 'lake'`)
    const needed = new Set<string>()
    for (const table of tables)
      for (const file of await texts(
        `select unnest([data_file, delete_file]) from ducklake_list_files('lake', '${table}')`,
      ))
        if (file !== 'null') needed.add(file)
    return {
      orphans: [...there].filter((file) => !needed.has(file)),
      missing: [...needed].filter((file) => !there.has(file)),
      files: there.size,
    }
  })
}
