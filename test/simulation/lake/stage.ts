import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import type { Reader } from '../../../src/warehouse/read/reader.ts'
import { objectsOf } from '../../../src/warehouse/read/rows-to-objects.ts'
import { PASSWORD, type Postgres } from '../../support/lake.ts'
import { type Network, networkTo } from '../../support/network-cut.ts'
import { type Running, start } from '../../support/process.ts'
import { openReader } from '../../support/storage.ts'
import { Door } from './door.ts'
import type { Ran, Row, Seen, Sight } from './judge.ts'
import type { Account, Machine } from './script.ts'

const DAY_S = 86_400
const START = Date.UTC(2026, 0, 1) / 1_000
const INCIDENTS = 50
/** The longest wait in minutes: until the second retry of a failed job, or until another machine looks for due jobs. */
const LONGEST_WAIT_MIN = 30

/** A machine with its folder, its connection to PostgreSQL, its accounts, and its running process. */
export interface Place {
  readonly machine: Machine
  readonly folder: string
  readonly network: Network
  /** The configured name of each account. */
  readonly names: Map<Account, string>
  aheadMs: number
  /** The number of processes that the machine has started so far. */
  processes: number
  running?: Under
}

interface Under extends Running {
  /** Whether the process runs until it is stopped. */
  readonly isDaemon: boolean
  /** The error output of the process so far. */
  said(): string
  /** Whether the output since the previous match contains a new match. */
  hear(words: RegExp): boolean
}

/** The machines, services, database and common clock of a script. */
export class Stage {
  readonly ran: Ran[] = []
  readonly places = new Map<Machine, Place>()
  readonly nights: number[] = []
  readonly sights: Sight[] = []
  readonly #folder = mkdtempSync(join(tmpdir(), 'faultline-interleaved-'))
  #door!: Door
  #reader: Reader | undefined
  #opened = 0

  private constructor(
    readonly name: string,
    readonly postgres: Postgres,
    readonly services: Map<Account, Sandbox>,
    readonly program: readonly [string, ...string[]],
  ) {}

  /** @param name name of the database @param program command that starts the command line */
  static async open(
    name: string,
    postgres: Postgres,
    program: readonly [string, ...string[]],
  ): Promise<Stage> {
    const services = new Map<Account, Sandbox>()
    for (const accountId of [11, 12] as const) {
      const options = { now: START, incidents: INCIDENTS, limits: false, appKey: `key-of-${accountId}` }
      services.set(accountId, await startSandbox({ ...options, accountId, seed: accountId }))
    }
    const stage = new Stage(name, postgres, services, program)
    postgres.config(name)
    // All jobs take the time from PostgreSQL. This replacement of `now()` lets a script skip days.
    postgres.ask(
      name,
      `create table days (ahead interval not null); insert into days values ('0');
        create function now() returns timestamptz language sql stable as 'select pg_catalog.now() + ahead from public.days';
        alter database ${name} set search_path = public, pg_catalog`,
    )
    stage.#door = await Door.open(services, (machine) => stage.places.get(machine)!.processes)
    for (const machine of ['A', 'B', 'C', 'Z'] as const)
      stage.places.set(machine, await stage.#place(machine))
    return stage
  }

  get door(): Door {
    return this.#door
  }

  async #place(machine: Machine): Promise<Place> {
    const folder = join(this.#folder, machine)
    mkdirSync(folder)
    const network = await networkTo(this.postgres.port)
    const names = new Map([...this.services.keys()].map((account) => [account, `c${account}`] as const))
    return { machine, folder, network, names, aheadMs: 0, processes: 0 }
  }

  /** Starts a command on a machine, with the current configuration of the machine. */
  start(machine: Machine, args: readonly string[]): void {
    const place = this.places.get(machine)!
    place.processes++
    const number = place.processes
    const running = this.#start(place, args)
    let [said, heard] = ['', 0]
    running.process.stderr!.on('data', (chunk) => {
      said += chunk
    })
    const hear = (words: RegExp) => {
      const found = words.exec(said.slice(heard))
      heard += found === null ? 0 : found.index + found[0].length
      return found !== null
    }
    void running.ended.then(({ code, out, err }) => {
      this.ran.push({ machine, process: number, args, code, out, err, at: performance.now() })
    })
    place.running = { ...running, isDaemon: !args.includes('--once'), said: () => said, hear }
  }

  /** Runs a command as the administrator, and waits for its end. */
  async command(...args: readonly string[]): Promise<Ran> {
    const { code, out, err } = await this.#start(this.places.get('Z')!, args).ended
    const ran: Ran = { machine: 'Z', process: 0, args, code, out, err, at: performance.now() }
    this.ran.push(ran)
    return ran
  }

  #start({ machine, folder, names, network, aheadMs }: Place, args: readonly string[]): Running {
    const { warehouse, lake } = this.postgres.config(this.name)
    const accounts = [...names].map(([account, name]) => {
      writeFileSync(join(folder, `${account}.key`), this.services.get(account)!.appKey)
      return { name, baseUrl: this.#door.baseUrl(machine, account), appKeyFile: `./${account}.key` }
    })
    const config = {
      warehouse: warehouse.replace(`port=${this.postgres.port}`, `port=${network.port}`),
      ...{ lake, accounts, sync: { jobs: 1 } },
      resources: ['incidents', 'channels', 'teams', 'members'],
    }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
    const environment = { FAULTLINE_LAKE_PASSWORD: PASSWORD, AHEAD_MS: String(aheadMs) }
    return start(args, environment, folder, this.program)
  }

  /** Waits for a condition. @throws if the process `running` ends first */
  async until(isSo: () => boolean, what: string, running?: Running, lookMs = 20): Promise<void> {
    while (!isSo()) {
      const process = running?.process
      if (process && (process.exitCode !== null || process.signalCode !== null)) {
        await running.ended
        if (isSo()) return
        throw new Error(`It has ended, and ${what} did not come.`)
      }
      await pause(lookMs)
    }
  }

  /**
   * Whether any process holds a lease. Its transaction has an id because it has locked a row. A transaction that still
   * waits for the lock has no id.
   */
  isLeased(): boolean {
    const locks = `select count(*) from pg_locks as asking
      where database = (select oid from pg_database where datname = '${this.name}')
        and relation = to_regclass('faultline_locks') and mode = 'RowShareLock'
        and exists (select from pg_locks as has where has.pid = asking.pid and has.locktype = 'transactionid')`
    return this.postgres.ask(this.name, locks) !== '0'
  }

  /** Moves PostgreSQL's clock forward by `days`, and the services' clocks too if `days` is a whole number. */
  pass(days: number): void {
    this.postgres.ask(this.name, `update days set ahead = ahead + interval '${days} days'`)
    if (!Number.isInteger(days)) return
    this.nights.push(performance.now())
    for (const service of this.services.values()) service.advance(days * DAY_S)
  }

  async remove(account: Account): Promise<void> {
    const { code } = await this.command('account', 'remove', String(account), '--yes')
    if (code === 0) for (const { names } of this.places.values()) names.delete(account)
  }

  async openReader(): Promise<void> {
    this.#reader?.close()
    this.#reader = await openReader(this.postgres.lake(this.name), { settings: defaultSettings })
    this.#opened++
    await this.look()
  }

  /** Records what the open reader sees of each account. */
  async look(): Promise<void> {
    const rows = await this.#rows(`
      select account_id::varchar as account, max(run_id)::varchar as run, count(*)::int as rows,
        count(distinct incident_id)::int as keys, sum(hash(incidents) % 1000000)::varchar as sum
      from incidents join (select account_id, max(run_id) as run_id from sync_runs group by 1) using (account_id) group by 1`)
    for (const row of rows)
      this.sights.push({ opened: this.#opened, ...(row as unknown as Omit<Sight, 'opened'>) })
  }

  #rows = async (sql: string): Promise<Row[]> => objectsOf(await this.#reader!.query(sql)) as Row[]

  /**
   * Ends all outages and waits for running jobs. Then waits until a healthy machine has synced all due and failed
   * accounts.
   */
  async settle(): Promise<Seen> {
    for (const { machine, network, running } of this.places.values()) {
      this.#door.free(machine)
      network.heal()
      running?.process.kill('SIGCONT')
      if (running?.isDaemon) running.process.kill('SIGTERM')
      await running?.ended
    }
    this.pass(LONGEST_WAIT_MIN / 1_440)
    const last = await this.command('lake', 'work', '--once')
    await this.openReader()
    const { names } = this.places.get('Z')!
    const { ran, nights, sights, services } = this
    return {
      truth: new Map([...names.keys()].map((account) => [account, services.get(account)!.truth()])),
      rows: this.#rows,
      came: this.#door.came,
      ...{ nights, ran, last, sights },
      secrets: [PASSWORD, ...[...services.values()].map(({ appKey }) => appKey)],
      folders: [this.#folder, this.postgres.lake(this.name).data],
    }
  }

  /** Returns the output of all processes, for finding the cause of a failure. */
  told(): string {
    const under = [...this.places.values()].map(
      ({ machine, running }) => `${machine}: ${running?.said() ?? ''}`,
    )
    return [
      ...this.ran.map(({ machine, args, err }) => `${machine} ${args.join(' ')}: ${err}`),
      ...under,
    ].join('\n')
  }

  async close(): Promise<void> {
    for (const { running, network } of this.places.values()) {
      if (running && running.process.exitCode === null && running.process.signalCode === null) {
        const ended = once(running.process, 'close')
        running.process.kill('SIGKILL')
        await ended
      }
      network.close()
    }
    this.#reader?.close()
    this.#door.close()
    for (const service of this.services.values()) await service.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
