import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Client, createClient } from '../../dist/client/client.js'
import { type Effects, silent } from '../../dist/effects.js'
import { resources } from '../../dist/resources/index.js'
import { withPrivacy } from '../../dist/resources/privacy/with-privacy.js'
import type { Sandbox } from '../../dist/sandbox/start-sandbox.js'
import { resolveStorage } from '../../dist/sdk/resolve-storage.js'
import { defaultSettings } from '../../dist/settings/settings.js'
import { type SyncResult, sync } from '../../dist/sync/sync-accounts.js'
import { start, withFilesUpTo } from '../support/process.ts'
import { objects, withConnection } from '../support/truth.ts'
import { holdOpen, writeAndDie } from './foreign-client.ts'
import type { Row } from './judge.ts'
import { SIGHT } from './judges/readers.ts'
import { killAt } from './kill.ts'
import type { OddService } from './odd-service.ts'
import type { SyncPlan } from './plan.ts'
import { ACCOUNT } from './records.ts'
import { type Result, resultOf, sentenceOf } from './result.ts'

const DAY = 86_400
const LOOKBACK_DAYS = 31
/** The share of the rate limits that a process may use. It is small because a night has few requests. */
const QUOTA = 0.2

type Asks = (sql: string) => Promise<Row[]>

type OnRequest = (request: number) => Promise<void> | void

/** The machine that syncs, with its disk, clock and configuration. */
export class Machine {
  readonly folder: string
  readonly warehouse: string
  /** Results of the query `SIGHT` that readers got during a sync. */
  sights: string[] = []
  sinceDays = 365
  isPrivate = false
  /** Whether another client left a write-ahead log next to the published file. */
  isWrittenTo = false
  /** Seconds by which the clock of the machine is ahead of that of the service. */
  ahead = 0
  readonly #service: Sandbox
  readonly #limited: Sandbox
  readonly #odd: OddService
  readonly #backups: string
  #slept = 0

  /**
   * @param service the sandbox without limits, for syncs on a simulated clock
   * @param limited the same sandbox with its limits, for syncs in a process
   * @param odd the proxy between both sandboxes and this machine
   */
  constructor(service: Sandbox, limited: Sandbox, odd: OddService, parent: string) {
    this.#service = service
    this.#odd = odd
    this.#limited = limited
    this.folder = join(parent, 'disk')
    this.#backups = join(parent, 'backups')
    this.warehouse = join(this.folder, 'w.duckdb')
    for (const folder of [this.folder, this.#backups]) mkdirSync(folder)
  }

  get since(): number {
    return this.#service.now() - this.sinceDays * DAY
  }

  get most() {
    const { most_in_1s, most_in_60s } = this.#limited.stats()
    return { inASecond: most_in_1s.offered, inAMinute: most_in_60s.offered }
  }

  get isPublished(): boolean {
    return existsSync(this.warehouse)
  }

  async sync(plan: SyncPlan, onRequest: OnRequest): Promise<Result> {
    const isAlone = plan.kill !== undefined || plan.room !== undefined
    const letGo = plan.isHeldOpen && this.isPublished ? await holdOpen(this.warehouse) : undefined
    try {
      const result = await (isAlone ? this.#byCommand(plan) : this.#inProcess(plan, onRequest))
      if (result.published) this.isWrittenTo = false
      return result
    } finally {
      await letGo?.()
    }
  }

  /** Lets another client change rows of the published file, and kills that client. */
  async writeTo(): Promise<void> {
    if (!this.isPublished || this.isWrittenTo) return
    await writeAndDie(this.warehouse)
    this.isWrittenTo = true
  }

  /** Calls `act` with a function that queries the published copy. The copy is opened only once. */
  async asking<Result>(act: (rows: Asks) => Promise<Result>): Promise<Result> {
    if (!existsSync(this.warehouse)) return act(async () => [])
    const judged = join(this.#backups, 'judged.duckdb')
    if (this.isWrittenTo) copyFileSync(this.warehouse, judged)
    return withConnection(this.isWrittenTo ? judged : this.warehouse, (connection) =>
      act((sql) => objects(connection, sql)),
    )
  }

  backUp(night: number): void {
    if (existsSync(this.warehouse)) copyFileSync(this.warehouse, this.#backupOf(night))
  }

  /** Restores a backup. Returns false if that night has no backup. */
  async restore(night: number): Promise<boolean> {
    if (!existsSync(this.#backupOf(night))) return false
    const copy = join(this.#backups, 'put-back.duckdb')
    copyFileSync(this.#backupOf(night), copy)
    await (await resolveStorage(this.warehouse)).putBack(copy)
    this.isWrittenTo = false
    return true
  }

  #backupOf = (night: number) => join(this.#backups, `${night}.duckdb`)

  async #inProcess(plan: SyncPlan, onRequest: OnRequest): Promise<Result> {
    const stopping = new AbortController()
    const effects = this.#effects()
    let others: Promise<void> = Promise.resolve()
    const client = this.#client(plan.isPoorKey === true, effects, async (request) => {
      if (request === plan.stopAt) stopping.abort(new Error('stopped'))
      // If the plan stops the first sync, the second one might succeed, so it is not started.
      if (request === plan.otherAt && plan.stopAt === undefined) others = this.#other()
      await onRequest(request)
    })
    try {
      const result = await sync({
        ...(await this.#options(effects, plan)),
        client,
        signal: stopping.signal,
      })
      return resultOf(result)
    } catch (error) {
      if (stopping.signal.aborted) return { status: 'stopped', published: false, words: [] }
      return { status: 'refused', published: false, words: [sentenceOf(error)] }
    } finally {
      await others
      await client.close()
    }
  }

  /** Starts a second sync of the same account during a sync. The second sync must fail with a clear message. */
  async #other(): Promise<void> {
    const effects = this.#effects()
    const client = this.#client(false, effects, () => {})
    try {
      await sync({ ...(await this.#options(effects, {})), client, signal: new AbortController().signal })
      this.sights.push('two syncs at once')
    } catch (error) {
      const { message, next } = sentenceOf(error)
      if (!/sync/.test(message) || !next) this.sights.push(`two syncs at once: ${message} ${next}`)
    } finally {
      await client.close()
    }
  }

  /** Syncs in a separate process that is killed or runs out of disk space. */
  async #byCommand({ kill, full, room, accepts }: SyncPlan): Promise<Result> {
    const config = { privacy: this.isPrivate ? PRIVACY : {}, sync: { quota: QUOTA } }
    const configPath = join(this.#backups, 'config.json')
    writeFileSync(configPath, JSON.stringify(config))
    const environment = {
      FAULTLINE_APP_KEY: this.#limited.appKey,
      FAULTLINE_BASE_URL: this.#odd.addressOf(this.#limited),
      FAULTLINE_WAREHOUSE: this.warehouse,
    }
    const since = new Date(this.since * 1_000).toISOString()
    const options = [
      '--json',
      '--config',
      configPath,
      ...(full ? ['--full'] : []),
      ...(accepts ? ['--accept-vanished'] : []),
    ]
    const limited = room === undefined ? undefined : withFilesUpTo(Math.max(64, this.#largestKiB() + room))
    const before = this.#published()
    const { process, ended } = start(['sync', '--since', since, ...options], environment, undefined, limited)
    if (kill !== undefined) await killAt(process, kill, this.#limited, this.warehouse)
    const { signal, code, out, err } = await ended
    if (signal === 'SIGKILL') {
      this.#lose(kill!.lost)
      // The process may have died after the rename of the published file, but before it reported that.
      return { status: 'killed', published: this.#published() !== before, words: [] }
    }
    if (out.trim() !== '') return resultOf(JSON.parse(out) as SyncResult)
    // The disk was full, or an outage of the service lasted longer than the command waits.
    const words = [...err.matchAll(/^error: (.*)\n(?: {2}(.*)\n)?/gm)].map(([, message, next]) => ({
      ...{ message: message!, next },
    }))
    if (words.length === 0 || code === 2)
      throw new Error(`a sync by the command line ended ${code}: ${out} ${err}`)
    return { status: 'refused', published: this.#published() !== before, words }
  }

  /** The inode of the published file, which differs after each publish. */
  #published(): number | undefined {
    return statSync(this.warehouse, { throwIfNoEntry: false })?.ino
  }

  #largestKiB(): number {
    const names = readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
    const sizes = names.map((name) => statSync(join(this.folder, name)).size)
    return Math.ceil(Math.max(0, ...sizes) / 1_024)
  }

  /** Simulates a power cut: removes the end of the working file's write-ahead log. */
  #lose(bytes: number) {
    const log = `${this.warehouse}.sync/${ACCOUNT}.duckdb.wal`
    if (bytes > 0 && existsSync(log)) truncateSync(log, Math.max(0, statSync(log).size - bytes))
  }

  async #options(effects: Effects, { full = false, accepts = false }: Partial<SyncPlan>) {
    const known = withPrivacy(resources, {
      drop: [],
      hash: [],
      salt: 'salt',
      ...(this.isPrivate ? PRIVACY : {}),
    })
    return {
      published: await resolveStorage(this.warehouse),
      resources: known,
      known,
      settings: defaultSettings,
      effects,
      concurrency: 4,
      version: 'simulated',
      scope: (now: number) => ({
        now,
        since: now - this.sinceDays * DAY,
        lookbackDays: LOOKBACK_DAYS,
        windowSeconds: 31 * DAY - 1,
        full,
        acceptVanished: accepts,
      }),
    }
  }

  #client(isPoor: boolean, effects: Effects, before: OnRequest): Client {
    const { appKeys } = this.#service
    const baseUrl = this.#odd.addressOf(this.#service)
    const appKey = appKeys[isPoor ? 1 : 0]!.key
    const client = createClient({ baseUrl, appKey, quota: Number.POSITIVE_INFINITY, effects })
    let requests = 0
    return {
      ...client,
      async read(name, input, options) {
        await before(++requests)
        return client.read(name, input, options)
      },
    }
  }

  /** Effects with a simulated clock. A sleep ends at once and moves the clock forward. */
  #effects(): Effects {
    return {
      now: () => (this.#service.now() + this.ahead) * 1_000 + this.#slept,
      elapsed: () => this.#slept,
      random: () => 0.5,
      log: silent,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted()
        this.#slept += ms
        await nextTurn()
      },
    }
  }

  /** Reads the published copy, as an analyst may at any time. */
  async look(): Promise<void> {
    const [row] = await this.asking((rows) => rows(SIGHT))
    this.sights.push(String(row?.sight ?? ''))
  }
}

const PRIVACY = { drop: ['members.email'] }
