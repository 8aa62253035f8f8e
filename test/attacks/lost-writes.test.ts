import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeReports } from '../../src/cli/report/make-reports.ts'
import { syncOrPlan } from '../../src/cli/sync/sync-or-plan.ts'
import { onDatabase } from '../../src/definitions/duckdb.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { DamagedFile, isDamage } from '../../src/warehouse/file/damage.ts'
import { accountFiles, warehouseFiles, workingAccounts } from '../../src/warehouse/file/files.ts'
import { heal } from '../../src/warehouse/file/repair-file.ts'
import { verifyFile } from '../../src/warehouse/file/verify-file.ts'
import { run, start } from '../support/cli.ts'
import { listening } from '../support/console.ts'
import { contentOf } from '../support/content.ts'
import { seeded } from '../support/random.ts'
import { sideDoor } from '../support/side-door.ts'
import { openReader } from '../support/storage.ts'
import { differencesById, type Record_, readTruth } from '../support/truth.ts'
import { type Act, Disk, type Names, readLog } from './lost-writes/replay.ts'

/**
 * Cuts the power during a sync, a publish, a rewrite or a report. A preloaded library (`lost-writes/record.c`)
 * records every file operation of the process. `lost-writes/replay.ts` then rebuilds the disk that a power cut at any
 * moment may leave. Four cuts of one sync run here, 100 with `--mode large`:
 * `npx vitest run --config test/vitest.config.ts --root . --mode large test/attacks/lost-writes.test.ts`
 */
const isLarge = inject('isLarge')
const CUTS = isLarge ? 25 : 4
const SEED = Number(process.env.FAULTLINE_CUTS_SEED ?? 1)

const folder = mkdtempSync(join(tmpdir(), 'faultline-cuts-'))
const library = join(folder, 'record.so')
const source = fileURLToPath(new URL('lost-writes/record.c', import.meta.url))
/** The reason why recording is impossible on this machine, or ''. */
const hindrance =
  process.platform !== 'linux'
    ? 'Linux only'
    : spawnSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-pthread']).status === 0
      ? ''
      : 'needs gcc and glibc'
if (hindrance) console.warn(`Power cuts are not tried: ${hindrance}`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Recording {
  readonly name: string
  readonly config: string
  /** A copy of the disk before the command. */
  readonly before: string
  readonly acts: readonly Act[]
}

describe.skipIf(hindrance !== '')('a power cut', () => {
  const disk = join(folder, 'disk')
  const plain = join(folder, 'plain.json')
  const privately = join(folder, 'private.json')
  const PAGES = 'out'
  const WAREHOUSE = 'faultline.duckdb'
  const recordings = new Map<string, Recording>()
  let sandbox: Sandbox
  let truth: readonly Record_[]

  async function record(name: string, config: string, args: readonly string[]): Promise<void> {
    const before = join(folder, `${name}, before`)
    cpSync(disk, before, { recursive: true })
    const log = join(folder, `${name}.log`)
    const all = ['--config', config, '--warehouse', join(disk, WAREHOUSE), ...args]
    const environment = {
      LD_PRELOAD: library,
      RECORD_FOLDER: disk,
      RECORD_LOG: log,
      UV_USE_IO_URING: '0',
    }
    const { code, err } = await start(all, environment, folder).ended
    expect(code, err).toBe(0)
    const acts = readLog(log)
    rmSync(log)
    recordings.set(name, { name, config, before, acts })
    // If the replayed files differ, the recording is incomplete.
    const replayed = join(folder, 'replayed')
    after({ before, acts }, acts.length).whole(fresh(replayed))
    expect(namesBelow(replayed)).toEqual(namesBelow(disk))
    for (const file of namesBelow(disk))
      expect(readFileSync(join(replayed, file)).equals(readFileSync(join(disk, file))), file).toBe(true)
  }

  beforeAll(async () => {
    sandbox = await startSandbox({ now: 1_795_262_400, incidents: 300, limits: false })
    mkdirSync(disk)
    writeFileSync(join(folder, 'key'), sandbox.appKey)
    writeFileSync(join(folder, 'salt'), 'a-salt-of-sixteen-or-more')
    const common = { baseUrl: sandbox.baseUrl, appKeyFile: './key' }
    writeFileSync(plain, JSON.stringify(common))
    const privacy = { hash: ['members.email'], drop: ['members.phone'], saltFile: './salt' }
    writeFileSync(privately, JSON.stringify({ ...common, privacy }))
    const path = join(disk, WAREHOUSE)
    const isEqual = async () => {
      truth = await readTruth(sandbox.baseUrl)
      expect([...(await differencesById(truth, path))]).toEqual([])
    }
    await record('a first sync', plain, ['sync'])
    await isEqual()
    const report = isLarge && ['report', 'mtta-mttr', '--to', join(disk, PAGES)]
    if (report) {
      const { code } = await run(['--config', plain, '--warehouse', path, ...report], {}, folder)
      expect(code).toBe(0)
    }
    await sideDoor(sandbox.baseUrl, 'clock', { advance_s: 86_400 })
    await record('a second sync', plain, ['sync'])
    await isEqual()
    if (!report) return
    await record('a report', plain, report)
    await record('new privacy rules', privately, ['sync'])
    await isEqual()
  }, 300_000)
  afterAll(() => sandbox?.close())

  /** Returns the possible contents of a file after each recorded sync, rename, link or removal. */
  function contentsIn(recording: Recording, fileOf: (root: string) => string | undefined) {
    const { acts } = recording
    const ends = acts.flatMap(({ name }, index) => (/sync|rename|link|remove/.test(name) ? [index + 1] : []))
    const known = new Map<number, string>()
    const contentAfter = async (count: number) => {
      if (!known.has(count)) {
        const root = fresh(join(folder, 'known'))
        after(recording, count).whole(root)
        const file = fileOf(root)
        known.set(count, file === undefined ? 'none' : await contentOf(file).catch(String))
      }
      return known.get(count)!
    }
    return {
      /**
       * Whether the file may have this content after a power cut: its content at the last fsync, or a later content. A
       * log whose folder was never synced may have an earlier content, or be lost.
       */
      async has(content: string, cut: number, names: Names): Promise<boolean> {
        const last = ends.findLast((end) => end <= cut && acts[end - 1]!.name === 'sync') ?? 0
        const next = ends.find((end) => end > cut) ?? acts.length
        const least = names === 'posix' ? 0 : last
        const others = [0, ...ends].filter((end) => end >= least && end <= next).reverse()
        for (const end of [last, ...others]) if ((await contentAfter(end)) === content) return true
        return false
      },
    }
  }

  const published = (root: string) => {
    const path = join(root, WAREHOUSE)
    return existsSync(path) ? path : undefined
  }
  const working = (root: string) => {
    const files = warehouseFiles(join(root, WAREHOUSE))
    const [account] = workingAccounts(files)
    return account === undefined ? undefined : accountFiles(files, account).working
  }

  /** Cuts a recording at seeded moments and checks the resulting disk. */
  async function cutting(
    name: string,
    look: (root: string, at: { cut: number; names: Names }, what: string) => Promise<void>,
  ) {
    const recording = recordings.get(name)!
    const root = join(folder, 'cut')
    for (const [number, cut] of momentsOf(recording, CUTS).entries()) {
      const names = number % 4 === 3 ? 'posix' : 'journal'
      const seed = SEED * 1_000 + number
      after(recording, cut).cut(fresh(root), names, seeded(seed))
      await look(
        root,
        { cut, names },
        `${name}, after ${cut} of ${recording.acts.length} acts, ${names}, seed ${seed}`,
      )
    }
  }

  test.each(isLarge ? ['a first sync', 'a second sync', 'new privacy rules'] : ['a second sync'])(
    'during %s leaves a complete published copy, and the next sync succeeds',
    async (name) => {
      const recording = recordings.get(name)!
      const copies = contentsIn(recording, published)
      const batches = contentsIn(recording, working)
      await cutting(name, async (root, { cut, names }, what) => {
        const path = join(root, WAREHOUSE)
        expect(existsSync(path) || !existsSync(join(recording.before, WAREHOUSE)), what).toBe(true)
        if (existsSync(path)) {
          expect(await copies.has(await contentOf(path), cut, names), `${what}: another copy`).toBe(true)
          await verifyFile(path)
          const reader = await openReader(path, { settings: defaultSettings })
          expect((await reader.query('select distinct status from runs')).rows, what).toHaveLength(1)
          reader.close()
        }
        const file = working(root)
        const content = file && (await healed(path, file, what))
        if (content) expect(await batches.has(content, cut, names), `${what}: half a batch`).toBe(true)

        const context = listening({ config: recording.config, warehouse: path })
        expect(await syncOrPlan(context, [], {}), `${what}: ${context.notes}`).toBe(0)
        expect([...(await differencesById(truth, path))], what).toEqual([])
        await verifyFile(path)
        expect(leftovers(root), what).toEqual([])
        if (recording.config === privately)
          for (const one of [path, working(root)!, warehouseFiles(path).former])
            expect(await addressesIn(one), what).toBe(0)
      })
    },
    600_000,
  )

  test.runIf(isLarge)(
    'during a report run leaves each page either old or new, never mixed',
    async () => {
      const recording = recordings.get('a report')!
      const [old, fresh_] = [recording.before, join(folder, 'new privacy rules, before')]
      const page = join(PAGES, 'mtta-mttr.html')
      expect(readFileSync(join(old, page)).equals(readFileSync(join(fresh_, page)))).toBe(false)
      await cutting('a report', async (root, _, what) => {
        for (const file of namesBelow(join(old, PAGES)).map((one) => join(PAGES, one))) {
          const found = readFileSync(join(root, file), 'utf8')
          const whole = [old, fresh_].map((one) => readFileSync(join(one, file), 'utf8'))
          expect(whole.includes(found), `${what}: ${file}`).toBe(true)
        }
        expect(readFileSync(join(root, WAREHOUSE)).equals(readFileSync(join(old, WAREHOUSE))), what).toBe(
          true,
        )
        const path = join(root, WAREHOUSE)
        const context = listening({ config: plain, warehouse: path })
        expect(await makeReports(context, ['mtta-mttr'], { to: join(root, PAGES) }), what).toBe(0)
        expect(leftovers(root), what).toEqual([])
      })
    },
    600_000,
  )

  test('loses no work of a command that has already ended', async () => {
    for (const recording of recordings.values()) {
      const { name, acts } = recording
      const [root, whole] = [fresh(join(folder, 'cut')), fresh(join(folder, 'known'))]
      after(recording, acts.length).cut(root, 'posix', () => 0)
      after(recording, acts.length).whole(whole)
      const [is, wanted] = [root, whole].map((one) => readFileSync(join(one, WAREHOUSE))) as [Buffer, Buffer]
      expect(is.equals(wanted), name).toBe(true)
      if (name !== 'a report') continue
      for (const file of namesBelow(join(whole, PAGES)).map((one) => join(PAGES, one)))
        expect(readFileSync(join(root, file), 'utf8'), file).toBe(readFileSync(join(whole, file), 'utf8'))
    }
  })
})

/** A disk after the first operations of a recording. */
function after({ before, acts }: Pick<Recording, 'before' | 'acts'>, count: number): Disk {
  const disk = new Disk(before)
  for (const act of acts.slice(0, count)) disk.do(act)
  return disk
}

/**
 * Chooses moments directly before or after operations that do more than write bytes. If `isLarge`, half of the moments
 * are random.
 */
function momentsOf({ name, acts }: Recording, count: number): number[] {
  const random = seeded(SEED + name.length)
  const ends = acts.flatMap((act, index) =>
    /^(sync|rename|link|remove|size)$/.test(act.name) ? [index] : [],
  )
  return Array.from({ length: count }, (_, number) =>
    isLarge && number % 4 < 2
      ? Math.floor(random() * acts.length)
      : ends[Math.floor(random() * ends.length)]! + Math.floor(random() * 2),
  )
}

/**
 * Returns the content of the working file, or undefined if the sync must repair the file first. DuckDB overwrites
 * metadata blocks of 256 KB in place, so a power cut during a checkpoint can tear one.
 */
function healed(path: string, file: string, what: string): Promise<string | undefined> {
  return contentOf(file).catch(async (error: unknown) => {
    expect(isDamage(error), `${what}: ${error}`).toBe(true)
    // Repair a copy, because the sync must find the torn log.
    const aside = fresh(join(folder, 'healed'))
    cpSync(dirname(path), aside, { recursive: true })
    const own = join(aside, relative(dirname(path), file))
    const notice = await heal(warehouseFiles(join(aside, basename(path))), new DamagedFile(own, error))
    if (/in block at location/.test(String(error))) {
      expect(notice, what).toMatch(/The sync starts from the published copy/)
      return undefined
    }
    expect(notice, `${what}: ${error}`).toMatch(/Data since the last checkpoint is read again/)
    // The content as of the last checkpoint, which may be older than the recording.
    return void (await contentOf(own))
  })
}

/** Files that a successful command must have removed. */
function leftovers(root: string): string[] {
  return namesBelow(root).filter((file) =>
    /\.(part|fresh|changed|restored)(\.|$)|next\.duckdb|look-/.test(file),
  )
}

function addressesIn(file: string): Promise<number> {
  return onDatabase(file, { access_mode: 'READ_ONLY' }, async (connection) => {
    const found = await connection.runAndReadAll(`select count(*) from members where email like '%@%'`)
    return Number(found.getRows()[0]![0])
  })
}

/** The files below a folder, relative to it. */
function namesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(root, name)).isFile())
    .sort()
}

function fresh(path: string): string {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path)
  return path
}
