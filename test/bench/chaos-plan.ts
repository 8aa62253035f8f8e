import { unit } from '../../dist/sandbox/random.js'

/** When a sync is killed, counted from its start. */
export type KillMoment =
  /** After so many milliseconds: while it starts up, or at any time. */
  | { readonly kind: 'start-up' | 'any time'; readonly ms: number }
  /** When so many pages of incidents have been asked for. */
  | { readonly kind: 'first pages'; readonly pages: number }
  /** At so many writes to the log of the working file: around and inside of transactions. */
  | { readonly kind: 'storing'; readonly writes: number }
  /** When the copy that is to be published appears, or has been renamed, and some milliseconds later. */
  | { readonly kind: 'publishing'; readonly renamed: boolean; readonly ms: number }

/** What one chaos run does, all of it drawn from the seed. */
export interface ChaosPlan {
  readonly seed: number
  readonly faults: Readonly<Record<string, number>>
  readonly kills: readonly KillMoment[]
  /** Moves of the service's clock while syncs run: after so many milliseconds of a sync, by so many seconds. */
  readonly moves: readonly { readonly ms: number; readonly seconds: number }[]
}

const HOUR = 3_600

/**
 * Faults that hide what is missing, one kind a run: each makes some syncs partial, so all of them together would leave none
 * that ends well.
 */
const HIDING: readonly Readonly<Record<string, number>>[] = [
  { shifted_page: 0.01 },
  { stale_cache: 0.01 },
  { ignored_window: 0.01 },
  { foreign_account: 0.01 },
  { drop_row: 0.01 },
]

/** Draws a run: every second one has a moving clock; kinds of kills come round in turn, so that a few runs have all. */
export function chaosPlan(seed: number): ChaosPlan {
  let drawn = 0
  const draw = () => unit(seed, drawn++, 7_001)
  const upTo = (most: number) => draw() * most
  const whole = (least: number, most: number) => Math.floor(least + upTo(most - least + 1))
  const faults = {
    status_429: upTo(0.012),
    status_429_bare: upTo(0.012),
    status_500: upTo(0.05),
    reset: upTo(0.04),
    truncate: upTo(0.04),
    malformed: upTo(0.04),
    wrong_payload: upTo(0.008),
    repeat_cursor: upTo(0.1),
    duplicate_row: upTo(0.3),
    ...HIDING[seed % HIDING.length],
    slow_ms: [0, 15, 60][whole(0, 2)]!,
  }
  const kinds: readonly (() => KillMoment)[] = [
    () => ({ kind: 'start-up', ms: whole(0, 900) }),
    () => ({ kind: 'first pages', pages: whole(1, 8) }),
    () => ({ kind: 'storing', writes: whole(1, 40) }),
    () => ({ kind: 'publishing', renamed: draw() < 0.3, ms: whole(0, 6) }),
    () => ({ kind: 'any time', ms: whole(300, 5_000) }),
  ]
  const kills = Array.from({ length: whole(1, 4) }, (_, k) => kinds[(seed + k) % kinds.length]!())
  const moves =
    seed % 2 === 0
      ? []
      : Array.from({ length: whole(1, 4) }, () => ({ ms: whole(200, 4_000), seconds: whole(60, 30 * HOUR) }))
  return { seed, faults, kills, moves }
}
