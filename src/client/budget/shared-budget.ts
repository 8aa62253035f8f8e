import { scryptSync } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import type { Limit } from '../sliding-window.ts'
import { type Budget, createBudget } from './budget.ts'
import { fileLog } from './file-log.ts'
import { safeLog } from './log.ts'

/** Where processes meet that share an account's limits. */
export interface Sharing {
  /** A folder of this user, on a disk of this machine; it is made when it is missing, its parent is not. */
  folder: string
  /** Told once when the limits cannot be shared; this client keeps them alone then. */
  warn(message: string): void
}

/**
 * The budget that all processes of a user share on one machine for one service and key.
 *
 * The chosen way is a log of requests that every process appends to (file-log.ts), and a rule that reads the log (book.ts).
 * Why this, and not
 * - a lock around a file of counts: Node has no lock that the kernel takes back when a process is killed, and a lock that
 *   has to be judged stale is wrong now and then; who gets it next is chance, so that a run could starve;
 * - a process that gives out leave: one more thing to start, to watch, and to find dead;
 * - dividing the limits by the number of runs: it wastes what the others do not use.
 * An append takes some microseconds and cannot be half done by a kill; a run started right after a killed one reads what
 * that one had sent.
 *
 * A request is two lines: its place in line, and when it was counted at the latest. Whoever reads the log can tell when
 * each place may go; nobody decides for others. Damage or loss of the file costs the knowledge of the last minute, no more.
 */
export function createSharedBudget(
  options: { baseUrl: string; appKey: string; limits: readonly Limit[]; share: number; longestMs: number },
  { folder, warn }: Sharing,
): Budget {
  const { baseUrl, appKey, ...rest } = options
  const log = safeLog(
    fileLog(folder, () => accountName(baseUrl, appKey), machineClock),
    warn,
  )
  return createBudget({ ...rest, log, clock: machineClock, host: tag('/proc/self/ns/pid') })
}

/** Milliseconds since the machine started, the same in all its processes; setting the time does not touch it. */
export function machineClock(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/**
 * A name for service, key and boot that tells nothing about the key: slow to compute on purpose (some milliseconds), so
 * that keys cannot be guessed against it. The boot is in it because the clock starts again with it.
 */
export function accountName(baseUrl: string, appKey: string): string {
  const { origin, pathname } = new URL(baseUrl)
  const place = [origin, pathname.replace(/\/+$/, ''), bootId(), tag('/proc/self/ns/time')]
  return scryptSync(appKey, `faultline budget 1 ${place.join(' ')}`, 16, { N: 4_096 }).toString('hex')
}

/** Empty where the system does not tell; times ahead of the clock are passed over then. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch {
    return ''
  }
}

/** The number of a namespace such as `pid:[4026531836]`; 0 where there are none. */
function tag(path: string): string {
  try {
    return /\d+/.exec(readlinkSync(path))?.[0] ?? '0'
  } catch {
    return '0'
  }
}
