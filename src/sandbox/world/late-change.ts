import { hash, logNormal, unit } from '../random.ts'
import { LATER, NEVER, type StoryTable } from './story-table.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** A late change comes so many days after the incident began: never within a month. */
const SOONEST_DAYS = 35
const LATEST_DAYS = 300

/**
 * Lets a share of the incidents change long after they were closed: reopened and closed again, another severity, a
 * written cause, a post-mortem, deletion. Rewrites row `i` of the table; pure in (seed, i).
 * @param share from 0 to 1
 */
export function tellLateChange(table: StoryTable, i: number, seed: number, share: number): void {
  if (unit(seed, i, 95) >= share) return
  const closed = table.reopen[i] === NEVER ? table.close[i]! : table.close2[i]!
  if (closed === NEVER) return
  const days = SOONEST_DAYS + unit(seed, i, 96) * (LATEST_DAYS - SOONEST_DAYS)
  const at = Math.max(table.start[i]! + Math.ceil(days * DAY), closed + DAY)
  // What had been told for a time after it would now come before it.
  for (const name of LATER) if (table[name][i]! > at) table[name][i] = NEVER
  CHANGES[hash(seed, i, 97) % CHANGES.length]!(table, i, at, seed)
}

type Change = (table: StoryTable, i: number, at: number, seed: number) => void

const reopen: Change = (table, i, at, seed) => {
  // One that had been reopened before is told without that: there is room for one reopening.
  table.reopen[i] = at
  table.ack2[i] = at + Math.ceil(logNormal(seed, i, 98, 20 * MINUTE, 1))
  table.close2[i] = table.ack2[i]! + Math.ceil(logNormal(seed, i, 99, 30 * HOUR, 1.2))
}

const CHANGES: readonly Change[] = [
  reopen,
  reopen,
  (table, i, at) => {
    table.edit[i] = at
    table.edited[i] = table.severity[i] === 0 ? 1 : table.severity[i]! - 1
  },
  (table, i, at) => {
    table.text[i] = at
  },
  (table, i, at) => {
    table.linked[i] = at
  },
  (table, i, at) => {
    table.deleted[i] = at
    table.purged[i] = at + 40 * DAY
  },
]
