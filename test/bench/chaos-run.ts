import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from '../../dist/sandbox/start-sandbox.js'
import { readSight, type Seen, startAnalyst } from '../e2e/analyst.ts'
import { type Ended, start } from '../support/process.ts'
import { sideDoor } from '../support/side-door.ts'
import { differencesById, objects, type Record_, readTruth, withConnection } from '../support/truth.ts'
import { type ChaosPlan, chaosPlan, type KillMoment } from './chaos-plan.ts'
import { killAt } from './kill-at.ts'
import { othersDiffer, tablesDiffer } from './sound-warehouse.ts'

/** What became of one chaos run. */
export interface ChaosResult {
  readonly seed: number
  /** What was wrong, in words; empty when everything held. */
  readonly problems: readonly string[]
  /** Moments at which a living sync was killed. */
  readonly kills: readonly KillMoment['kind'][]
  /** Syncs that were started. */
  readonly starts: number
  readonly incidents: number
  readonly requests: number
  /** Requests that were beyond a limit, and 429s that a fault made up. */
  readonly refused: number
  readonly madeUp429: number
  readonly most1s: number
  readonly most60s: number
  /** How often the analyst looked at the published copy. */
  readonly looks: number
  readonly seconds: number
}

const NOW = Date.UTC(2026, 0, 1) / 1_000
const DAY = 86_400
/** 30 incidents a day: the windows of 45 days have two or three pages each. */
const INCIDENTS = 6_000
const SINCE = NOW - 45 * DAY
const LOOKBACK_DAYS = 10
/** Faults alone make some runs red; so many in a row they do not. */
const STARTS_MOST = 30

/**
 * One seeded run: a sandbox with faults (and, for odd seeds, a moving clock), the real `faultline sync` as a process of
 * its own, killed and started again until it ends well, an analyst beside it; then everything is compared.
 */
export async function chaosRun(seed: number): Promise<ChaosResult> {
  const plan = chaosPlan(seed)
  const folder = mkdtempSync(join(tmpdir(), `faultline-chaos-${seed}-`))
  const warehouse = join(folder, 'chaos.duckdb')
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ sync: { lookbackDays: LOOKBACK_DAYS } }))
  const service = await startSandbox({ seed, now: NOW, incidents: INCIDENTS, faults: { ...plan.faults } })
  const startedAt = performance.now()
  const moves = [...plan.moves]
  const run: Run = { service, folder, warehouse, moves, truths: [], starts: 0, kills: [], problems: [] }
  run.truths.push(await wantedTruth(run))
  let seen: Seen = { looks: 0, sights: [], errors: [] }
  try {
    const analyst = await startAnalyst(warehouse, 100)
    try {
      await untilWell(run, plan.kills)
      // What changed while it was read is seen by the next night's run; the clock stands from here on.
      run.moves.length = 0
      if (run.truths.length > 1) await untilWell(run, [])
      await lyingNights(run)
      run.problems.push(
        ...(await compare(run)),
        ...(await tablesDiffer(warehouse, { since: SINCE, hasMoved: run.truths.length > 1 })),
      )
      await changingNights(run)
    } finally {
      seen = await analyst.stop()
    }
    const stats = service.stats()
    await steer(service, 'faults', {})
    run.problems.push(
      ...(await compare(run)),
      ...(await tablesDiffer(warehouse, { since: SINCE, hasMoved: true })),
    )
    run.problems.push(...(await othersDiffer(service, warehouse)), ...unsound(seen))
    return {
      seed,
      problems: run.problems.slice(0, 20),
      kills: run.kills,
      starts: run.starts,
      incidents: run.truths.at(-1)!.length,
      requests: stats.requests,
      refused: stats.beyond_limits,
      madeUp429: Math.max(0, stats.rate_limited - stats.beyond_limits),
      most1s: stats.most_in_1s.offered,
      most60s: stats.most_in_60s.offered,
      looks: seen.looks,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    }
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Run {
  readonly service: Sandbox
  readonly folder: string
  readonly warehouse: string
  /** Moves of the clock still to come. */
  readonly moves: ChaosPlan['moves'][number][]
  /** The truth at every moment the clock stood at. */
  readonly truths: Record_[][]
  starts: number
  readonly kills: KillMoment['kind'][]
  readonly problems: string[]
}

/** Starts syncs, kills them at their moments, and starts again, until one ends with 0 and at least one was killed. */
async function untilWell(run: Run, moments: readonly KillMoment[]): Promise<void> {
  const left = [...moments]
  const before = run.kills.length
  const isDue = () => moments.length > 0 && run.kills.length === before
  for (let starts = 0; starts < STARTS_MOST; starts++) {
    // A kill that came too late is made up for by an early one.
    const moment = left.shift() ?? (isDue() ? ({ kind: 'any time', ms: 500 } as const) : undefined)
    const ended = await syncOnce(run, moment)
    if (ended.code === 0 && !isDue()) return
    if (ended.code !== 0 && ended.code !== 1 && ended.signal !== 'SIGKILL')
      run.problems.push(`a sync ended with ${ended.code ?? ended.signal}: ${ended.err}`)
    const strange = /Another sync|another program|cannot be|bug in Faultline|^\s+at /m.exec(ended.err)
    if (strange) run.problems.push(`a sync said: ${ended.err.slice(0, 500)}`)
  }
  run.problems.push(`no sync ended well within ${STARTS_MOST} starts`)
}

/** Faults of nights in which the service lies about everything. A cache fails the run, which the next one would go on with. */
const LIES = [
  'empty',
  'future_clock',
  'shifted_page',
  'ignored_window',
  'foreign_account',
  'drop_row',
  'stale_cache',
]

/** Nights of empty answers, of times in the future, of a cache …: nothing vanishes, nothing is changed, nothing is green. */
async function lyingNights(run: Run): Promise<void> {
  const { service, warehouse } = run
  const stored = () =>
    withConnection(warehouse, (connection) =>
      objects(
        connection,
        'select count(*) as rows, count(vanished_at) as vanished, max(updated_at) as newest from incidents',
      ),
    )
  const before = JSON.stringify(await stored(), bigints)
  for (const fault of LIES) {
    await steer(service, 'faults', { [fault]: 1 })
    const { code, err } = await syncOnce(run, undefined)
    if (code !== 1) run.problems.push(`a night of ${fault} ended with ${code}: ${err}`)
    const after = JSON.stringify(await stored(), bigints)
    if (after !== before) run.problems.push(`a night of ${fault} made ${before} to ${after}`)
  }
  await steer(service, 'faults', {})
  // Everything: a record that did not fit may lie in a window that is not read again every night.
  for (const options of [[], ['--full']]) {
    const { code, out, err } = await syncOnce(run, undefined, options)
    if (code !== 0) run.problems.push(`the night after the lies ended with ${code}: ${out} ${err}`)
  }
}

/**
 * A night in which members leave, teams are deleted and closed incidents are edited while they are read: a quiet night and a
 * complete one later, the warehouse has all of it.
 */
async function changingNights(run: Run): Promise<void> {
  const nights = [
    { faults: { member_leaves: 0.5, team_deleted: 0.5, late_edit: 0.3 }, options: [], codes: [0, 1] },
    { faults: {}, options: [], codes: [0] },
    { faults: {}, options: ['--full', '--accept-vanished'], codes: [0] },
  ]
  for (const { faults, options, codes } of nights) {
    await steer(run.service, 'faults', faults)
    await moveClock(run, 3_600)
    const { code, out, err } = await syncOnce(run, undefined, options)
    if (!codes.includes(code ?? -1)) run.problems.push(`a night of changes ended with ${code}: ${out} ${err}`)
  }
}

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

async function syncOnce(
  run: Run,
  moment: KillMoment | undefined,
  options: readonly string[] = [],
): Promise<Ended> {
  const { service, folder, warehouse } = run
  run.starts++
  const environment = {
    FAULTLINE_APP_KEY: service.appKey,
    FAULTLINE_BASE_URL: service.baseUrl,
    FAULTLINE_WAREHOUSE: warehouse,
  }
  const since = new Date(SINCE * 1_000).toISOString()
  const sync = start(['sync', '--since', since, '--json', ...options], environment, folder)
  let moving: Promise<void> = Promise.resolve()
  const timers = run.moves.splice(0, 2).map(({ ms, seconds }) =>
    setTimeout(() => {
      moving = moving.then(() => moveClock(run, seconds))
    }, ms),
  )
  if (moment !== undefined && (await killAt(sync.process, moment, service, warehouse)))
    run.kills.push(moment.kind)
  const ended = await sync.ended
  for (const timer of timers) clearTimeout(timer)
  await moving
  return ended
}

async function moveClock(run: Run, seconds: number): Promise<void> {
  await steer(run.service, 'clock', { advance_s: seconds })
  run.truths.push(await wantedTruth(run))
}

async function wantedTruth({ service }: Run): Promise<Record_[]> {
  return (await readTruth(service.baseUrl)).filter((record) => (record.start_time as number) >= SINCE)
}

async function steer(service: Sandbox, name: string, body: object): Promise<void> {
  const answer = await sideDoor(service.baseUrl, name, body)
  if (!answer.ok) throw new Error(`/_sandbox/${name} answered ${answer.status}`)
}

/**
 * With a clock that stood, every incident equals the service. With one that moved, that holds for those that are open or
 * within the lookback; an older one equals what it was at some moment since the first run began.
 */
async function compare({ truths, warehouse, service }: Run): Promise<string[]> {
  const differing = await Promise.all(truths.map((truth) => differencesById(truth, warehouse)))
  const newestOf = new Map(truths.flat().map((record) => [record.incident_id as string, record]))
  const lookback = service.now() - LOOKBACK_DAYS * DAY
  const isFresh = (record: Record_ | undefined) =>
    record !== undefined && ((record.start_time as number) > lookback || record.progress !== 'Closed')
  return [...differing.at(-1)!]
    .filter(([id]) => isFresh(newestOf.get(id)) || differing.every((one) => one.has(id)))
    .flatMap(([, words]) => words)
}

/** Every look worked, and saw a run that had read everything. */
function unsound({ errors, sights }: Seen): string[] {
  const half = sights.filter((sight) => {
    const { isWhole, openWindows } = readSight(sight)
    return !isWhole || openWindows > 0
  })
  return [
    ...errors.map((error) => `the analyst could not read: ${error}`),
    ...half.map((sight) => `the analyst saw half a run: ${sight}`),
  ]
}
