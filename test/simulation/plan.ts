import { type Chance, chanceOf } from './chance.ts'
import type { KillMoment } from './kill.ts'
import { KINDS } from './odd-kinds.ts'
import type { OddPlan } from './odd-service.ts'

/** The disturbances and options of a sync. A sync without any of them is an ordinary one. */
export interface SyncPlan {
  /** Faults of the service, by the sandbox's names. */
  readonly faults: Readonly<Record<string, number>>
  /** Whether the app key lacks some rights. */
  readonly isPoorKey?: boolean
  /** The probability that the company’s data changes before a request. */
  readonly meanwhile?: number
  /** The number of the request at which the sync is stopped, as by SIGTERM. */
  readonly stopAt?: number
  /** When the process is killed. Then `lost` bytes are cut from the end of its write-ahead log. */
  readonly kill?: KillMoment & { readonly lost: number }
  readonly full?: boolean
  /** Whether a person confirms that missing records are gone. */
  readonly accepts?: boolean
  /** The maximum size of a file, in KiB above the size of the largest file. May be negative. */
  readonly room?: number
  /** The number of the request at which another sync starts. */
  readonly otherAt?: number
  readonly odd?: OddPlan
  /** Whether another client has the published file open for writing. */
  readonly isHeldOpen?: boolean
}

/** The plan of one night: the sync, and the events before it. */
export interface NightPlan {
  readonly night: number
  /** Names of the disturbances of this night, as the option `--without` accepts them. */
  readonly troubles: readonly string[]
  /** Seconds of the service's time since the previous night. */
  readonly seconds: number
  readonly sync: SyncPlan
  /** Seconds by which this machine's clock is changed. */
  readonly clockStep?: number
  /** Seconds by which the service's clock is behind during this night. */
  readonly clockBack?: number
  /** Days of history that the configuration requests from now on. */
  readonly sinceDays?: number
  /** The age in nights of the backup to restore. */
  readonly restore?: number
  /** Whether another client changes rows of the published file and is then killed. */
  readonly isWrittenTo?: boolean
  /** Whether e-mail addresses are dropped (true) or stored (false) from now on. */
  readonly privacy?: boolean
}

type Draws = Partial<Omit<NightPlan, 'night' | 'troubles' | 'seconds' | 'sync'>> & {
  readonly sync?: Partial<SyncPlan>
}

const fault = (faults: Readonly<Record<string, number>>): Draws => ({ sync: { faults } })

type Trouble = readonly [often: number, draw: (chance: Chance) => Draws, nights?: number]

/** An unreadable record stays unreadable for three nights. Other kinds of abnormal responses last one night. */
const odd = Object.fromEntries(
  Object.entries(KINDS).map(([name, { costs }]): [string, Trouble] => [
    name,
    [12, ({ draw }) => ({ sync: { odd: { [name]: draw() } } }), costs === 'a record' ? 3 : 1],
  ]),
)

/**
 * Disturbances that a night can have, each with its frequency in 1,000 nights and its duration in nights (default:
 * one).
 */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  flaky: [
    50,
    () =>
      fault({
        status_500: 0.1,
        reset: 0.05,
        truncate: 0.05,
        malformed: 0.05,
        status_429: 0.1,
        repeat_cursor: 0.1,
        duplicate_row: 0.3,
      }),
  ],
  outage: [20, () => fault({ status_500: 1 })],
  'outage of days': [10, () => fault({ status_500: 1 }), 3],
  'lost rows': [15, () => fault({ drop_row: 0.4 })],
  'shifted pages': [15, () => fault({ shifted_page: 0.5 })],
  'a cache': [12, () => fault({ stale_cache: 0.5 })],
  'windows ignored': [12, () => fault({ ignored_window: 0.6 })],
  'rows of others': [12, () => fault({ foreign_account: 0.3 })],
  'empty answers': [15, ({ draw }) => fault({ empty: 0.3 + draw() * 0.7 })],
  'times ahead': [12, () => fault({ future_clock: 0.3 })],
  'wrong shapes': [15, () => fault({ wrong_shape: 0.2, wrong_payload: 0.02 })],
  'a key with fewer rights': [12, () => ({ sync: { isPoorKey: true } })],
  'a busy night': [100, () => ({ sync: { meanwhile: 0.3 } })],
  stopped: [40, ({ whole }) => ({ sync: { stopAt: whole(1, 30) } })],
  killed: [
    40,
    (chance) => ({
      sync: { kill: { ...killOf(chance), lost: chance.is(0.4) ? chance.whole(1, 20_000) : 0 } },
    }),
  ],
  'no room': [20, ({ whole }) => ({ sync: { room: whole(-8_000, 1_000) } })],
  'two at once': [20, ({ whole }) => ({ sync: { otherAt: whole(1, 12) } })],
  full: [15, () => ({ sync: { full: true } })],
  'clock of this machine set': [
    25,
    ({ whole }) => ({ clockStep: whole(-3, 3) * 86_400 + whole(-7_200, 7_200) }),
  ],
  'clock of the service behind': [10, ({ whole }) => ({ clockBack: whole(60, 20_000) })],
  'another history': [25, ({ of }) => ({ sinceDays: of([120, 365, 365, 365, 420, 700]) })],
  'shorter history': [30, ({ of }) => ({ sinceDays: of([60, 90, 120]) })],
  'backup put back': [15, ({ whole }) => ({ restore: whole(1, 20) })],
  privacy: [8, ({ is }) => ({ privacy: is(0.6) })],
  'another client writes': [12, () => ({ isWrittenTo: true })],
  'another client has it open': [12, () => ({ sync: { isHeldOpen: true } })],
  ...odd,
}

function killOf({ of, whole, is }: Chance): KillMoment {
  return of<() => KillMoment>([
    () => ({ kind: 'any time', ms: whole(0, 3_000) }),
    () => ({ kind: 'reading', pages: whole(1, 12), ms: whole(0, 100) }),
    () => ({ kind: 'storing', writes: whole(1, 40) }),
    () => ({ kind: 'publishing', renamed: is(0.3), ms: whole(0, 6) }),
  ])()
}

/** Draws the plan of a night from the seed. Excluding an event does not change the other events. */
export function nightOf(seed: number, night: number, without: ReadonlySet<string>): NightPlan {
  const chance = chanceOf(seed, night, 'night')
  const plan = { night, seconds: 86_400 + chance.whole(-5_400, 5_400) }
  const drawn = Object.entries(TROUBLES).flatMap(([name, [often, draw, nights = 1]]) => {
    const own = chanceOf(seed, Math.floor(night / nights), name)
    // The first nights are quiet, so that a complete first sync exists.
    return own.is(often / 1_000) && night > 2 && !without.has(name) ? [{ name, draws: draw(own) }] : []
  })
  const all = <One>(of: (draws: Draws) => One | undefined) =>
    Object.assign({}, ...drawn.map(({ draws }) => of(draws)))
  const sync = {
    ...all((draws) => draws.sync),
    faults: all((draws) => draws.sync?.faults),
    odd: all((draws) => draws.sync?.odd),
  }
  return { ...plan, ...all((draws) => draws), sync, troubles: drawn.map(({ name }) => name) }
}

export const troubles = Object.keys(TROUBLES)
