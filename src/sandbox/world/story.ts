import { hash, logNormal, unit } from '../random.ts'
import { CHECKS } from './checks.ts'
import type { Company } from './company.ts'
import { stormOf } from './rhythm.ts'
import { LATER, NEVER, type StoryTable } from './story-table.ts'

/** Severities by code; the order is from worst to best. */
export const SEVERITIES = ['Critical', 'Warning', 'Info', 'Ok'] as const

/** Ways an incident can go. The shares are out of 1,000. */
export const FATES = {
  handled: 430,
  healed: 355,
  handUnacked: 50,
  timedOut: 40,
  manual: 30,
  merged: 25,
  reopened: 25,
  snoozed: 20,
  unacked: 15,
  stuck: 10,
} as const
export type Fate = keyof typeof FATES
export const FATE_NAMES = Object.keys(FATES) as Fate[]
const FATE_BY_DRAW = FATE_NAMES.flatMap((fate, code) => Array<number>(FATES[fate]).fill(code))

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
/** Medians and spreads by severity: time to acknowledge, time to close, in seconds. */
const ACK = [
  { median: 4 * MINUTE, spread: 0.9 },
  { median: 13 * MINUTE, spread: 1.1 },
  { median: 50 * MINUTE, spread: 1.3 },
  { median: 2 * HOUR, spread: 1.3 },
] as const
const CLOSE = [
  { median: 75 * MINUTE, spread: 1 },
  { median: 2.5 * HOUR, spread: 1.25 },
  { median: 7 * HOUR, spread: 1.5 },
  { median: 10 * HOUR, spread: 1.5 },
] as const
const LONGEST = 70 * DAY

/** Tells story `i`, which begins at `start`: writes its row of the table. Pure in (seed, i, start). */
export function tellStory(table: StoryTable, i: number, start: number, seed: number, company: Company): void {
  const u = (salt: number) => unit(seed, i, salt)
  const hour = Math.floor(start / HOUR)
  const storm = stormOf(seed, hour)
  const inStorm = storm !== undefined && u(40) < 0.75
  const place = inStorm ? hash(seed, storm, 41) : hash(seed, i, 41)
  // The square favours the first channels: a few are noisy, most are quiet.
  const spot = Math.floor((place / 0x1_0000_0000) ** 1.7 * company.channelSlots.length)
  const slot = company.channelSlots[spot]!
  const severity = severityOf(u(42), inStorm)
  const fate = FATE_NAMES[FATE_BY_DRAW[hash(seed, i, 43) % FATE_BY_DRAW.length]!]!
  const created = start + Math.floor(logNormal(seed, i, 44, 12, 1))

  table.start[i] = start
  table.created[i] = created
  table.channel[i] = u(45) < 0.015 ? 0 : spot + 1
  table.service[i] = inStorm
    ? hash(seed, storm, 46) % slot.services.length
    : hash(seed, i, 46) % slot.services.length
  table.check[i] = inStorm ? hash(seed, storm, 47) % CHECKS.length : hash(seed, i, 47) % CHECKS.length
  table.fate[i] = FATE_NAMES.indexOf(fate)
  table.severity[i] = severity
  table.edited[i] = severity
  const muted = u(48) < 0.04 && (fate === 'healed' || fate === 'timedOut')
  table.muted[i] = muted ? 1 : 0
  table.creator[i] = fate === 'manual' ? 1 + (hash(seed, i, 49) % company.memberCount) : 0
  const alerts = fate === 'manual' ? 0 : Math.min(60, Math.floor(logNormal(seed, i, 50, 1.6, 0.9)) || 1)
  table.alerts[i] = alerts
  table.events[i] = Math.min(60_000, Math.floor(alerts * (1 + logNormal(seed, i, 51, 2, 1.1))))
  for (const name of LATER) table[name][i] = NEVER
  table.closer[i] = 0

  const night = isNight(hour) ? 1.7 : 1
  const toAck = () =>
    created + Math.ceil(logNormal(seed, i, 52, ACK[severity]!.median * night, ACK[severity]!.spread))
  const toClose = () =>
    Math.min(LONGEST, Math.ceil(logNormal(seed, i, 53, CLOSE[severity]!.median, CLOSE[severity]!.spread)))
  PLOTS[fate]({
    table,
    i,
    seed,
    created,
    u,
    ack: toAck,
    work: toClose,
    acker: company.ackerOf(i, spot, start),
  })
  tellAftermath(table, i, seed, u)
}

interface Scene {
  table: StoryTable
  i: number
  seed: number
  created: number
  u(salt: number): number
  /** When somebody acknowledges. */
  ack(): number
  /** Seconds of work after that. */
  work(): number
  /** Member number (from 1) of whoever acknowledges and closes. */
  acker: number
}

const PLOTS: Record<Fate, (scene: Scene) => void> = {
  handled: handle,
  healed({ table, i, seed, created }) {
    const end = created + Math.ceil(logNormal(seed, i, 60, 6 * MINUTE, 1.1))
    table.recover[i] = end
    table.close[i] = end
  },
  handUnacked({ table, i, created, u, work, acker }) {
    table.close[i] = created + work()
    table.closer[i] = acker
    if (u(61) < 0.7) table.recover[i] = created + Math.ceil((table.close[i]! - created) * u(62))
  },
  timedOut({ table, i, created, u }) {
    table.close[i] = created + (u(61) < 0.6 ? DAY : 3 * DAY)
  },
  manual({ table, i, ack, work, acker }) {
    table.ack[i] = ack()
    table.close[i] = table.ack[i]! + work()
    table.closer[i] = acker
  },
  merged({ table, i, seed, created, acker }) {
    table.close[i] = created + Math.ceil(logNormal(seed, i, 60, 9 * MINUTE, 0.8))
    table.closer[i] = acker
  },
  reopened(scene) {
    const { table, i, seed, u, acker } = scene
    handle(scene)
    table.reopen[i] = table.close[i]! + Math.ceil(20 * MINUTE + u(63) * 3 * DAY)
    table.ack2[i] = table.reopen[i]! + Math.ceil(logNormal(seed, i, 64, 20 * MINUTE, 1))
    table.close2[i] = table.ack2[i]! + Math.ceil(logNormal(seed, i, 65, 3 * HOUR, 1.2))
    table.closer[i] = acker
    // Its alerts fire again, and recover with the second close.
    table.recover[i] = Math.min(table.recover[i]!, table.close[i]!)
  },
  snoozed({ table, i, seed, ack, u, work, acker }) {
    table.ack[i] = ack()
    table.snooze[i] = table.ack[i]! + 2 * MINUTE
    table.unack[i] = table.snooze[i]! + HOUR * [1, 2, 4, 8, 24, 72][Math.floor(u(66) * 6)]!
    table.reack[i] = table.unack[i]! + Math.ceil(logNormal(seed, i, 67, 15 * MINUTE, 1))
    table.close[i] = table.reack[i]! + work()
    table.closer[i] = acker
    table.recover[i] = table.close[i]!
  },
  unacked({ table, i, seed, ack, u, work, acker }) {
    table.ack[i] = ack()
    table.unack[i] = table.ack[i]! + Math.ceil(5 * MINUTE + u(66) * 2 * HOUR)
    table.reack[i] = table.unack[i]! + Math.ceil(logNormal(seed, i, 67, 12 * MINUTE, 1))
    table.close[i] = table.reack[i]! + work()
    table.closer[i] = acker
    if (u(61) < 0.8)
      table.recover[i] = table.close[i]! - Math.floor((table.close[i]! - table.reack[i]!) * u(68))
  },
  stuck({ table, i, ack, u }) {
    if (u(61) < 0.5) table.ack[i] = ack()
  },
}

/** Acknowledged and closed: by hand before or after the alerts recover, or by their recovery. */
function handle({ table, i, seed, ack, u, work, acker }: Scene): void {
  const acked = ack()
  const close = acked + work()
  table.ack[i] = acked
  table.close[i] = close
  const kind = u(61)
  if (kind < 0.35) {
    table.recover[i] = close
    return
  }
  table.closer[i] = acker
  if (kind < 0.82) table.recover[i] = acked + Math.ceil((close - acked) * u(62))
  else if (kind < 0.93) table.recover[i] = close + Math.ceil(logNormal(seed, i, 60, 40 * MINUTE, 1))
}

/** What follows the handling: severity edits, written causes, post-mortems, deletion. */
function tellAftermath(table: StoryTable, i: number, seed: number, u: (salt: number) => number): void {
  const acked = table.ack[i]!
  const closed = table.reopen[i] === NEVER ? table.close[i]! : table.close2[i]!
  if (acked !== NEVER && u(70) < 0.04) {
    table.edit[i] = acked + Math.ceil(u(71) * 2 * HOUR)
    const better = u(72) < 0.6
    table.edited[i] = better ? Math.min(2, table.severity[i]! + 1) : Math.max(0, table.severity[i]! - 1)
    if (table.edited[i] === table.severity[i]) table.edit[i] = NEVER
  }
  if (closed === NEVER) return
  const worst = Math.min(table.severity[i]!, table.edited[i]!)
  if (acked !== NEVER && u(73) < [0.85, 0.4, 0.12, 0][worst]!)
    table.text[i] = closed + Math.ceil(u(74) * 3 * HOUR)
  const long = closed - table.created[i]! > (worst === 0 ? 40 * MINUTE : 5 * HOUR)
  if (acked !== NEVER && long && u(75) < [0.7, 0.07, 0, 0][worst]!) {
    table.linked[i] = closed + Math.ceil((0.2 + u(76) * 5) * DAY)
  }
  if (u(77) < 0.006) {
    table.deleted[i] = table.created[i]! + Math.ceil(HOUR + u(78) * 20 * DAY)
    table.purged[i] =
      table.deleted[i]! + (u(79) < 0.25 ? 0 : Math.ceil(logNormal(seed, i, 80, 50 * DAY, 0.8)))
  }
}

function severityOf(u: number, inStorm: boolean): number {
  const [critical, warning, info] = inStorm ? [0.16, 0.62, 0.995] : [0.055, 0.38, 0.99]
  return u < critical! ? 0 : u < warning! ? 1 : u < info! ? 2 : 3
}

function isNight(hour: number): boolean {
  const local = (hour + 1) % 24
  return local < 7 || local >= 23
}
