import { differencesOf, type Record_, storedIncidents } from '../../support/truth.ts'
import type { Version } from '../chronicle.ts'
import { greenOf, type Judge, type Ran, type Seen } from '../judge.ts'

const DAY = 86_400
const LOOKBACK_S = 31 * DAY
const SLOT_S = 30 * DAY

type Incident = NonNullable<ReturnType<Seen['company']['incidents']['get']>>

/**
 * Incidents that are open, or began within the lookback, are as the service had them in the last green sync, field by field;
 * older ones as late as the sweep comes round, in green syncs.
 */
export function copy(): Judge {
  /** Rows that were compared with a version before: what is the same twice is compared once. */
  const known = new Map<string, string[]>()
  return {
    name: 'copy',
    promise: 'what is stored equals the service, and is late by no more than promised',
    async look({ company, history, rows }) {
      const last = greenOf(history)
      if (last === undefined) return []
      const { green, shown } = last
      const stored = await storedIncidents(async (sql) => [...(await rows(sql))], { withVanished: true })
      const unknown = heldBack(history, green)
      const problems: string[] = []
      for (const id of new Set([...company.incidents.ids(), ...stored.keys()])) {
        const [row, ...more] = stored.get(id) ?? []
        if (more.length > 0) problems.push(`${id} is stored ${1 + more.length} times`)
        const start = earliest(company.incidents.between(id, 0, shown.ended))
        // Nobody asked for what began before the history that is wanted.
        if (start < green.since + DAY) continue
        const isHeldBack =
          unknown !== undefined && company.incidents.between(id, unknown, unknown).every(isNone)
        if (row === undefined && isHeldBack) continue
        const now = company.incidents.between(id, green.began, shown.ended)
        // One that was open for a part of the sync only may have been closed again when it was asked for.
        const isFresh = now.every(isYoung(green)) || (row !== undefined && isOpen(row))
        const from = isFresh ? green.began : sweptSince(history, green, start)
        const why = wrongnessOf(known, company.incidents.between(id, from, shown.ended), row)
        if (why !== undefined) problems.push(`${id} (${isFresh ? 'open or recent' : 'old'}): ${why}`)
      }
      return problems
    },
  }
}

const isOpen = (row: Record_) => row.progress !== 'Closed' && row.vanished_at === null

const isNone = ({ record }: Version<Incident>) => record === null

/**
 * Since when an incident may be missing that was never read: an empty answer for a day of which nothing is known looks like a quiet
 * day. The next green sync has it. Undefined where no answer was empty.
 */
function heldBack(history: readonly Ran[], green: Ran): number | undefined {
  const mayBeEmpty = history.some(
    ({ night, plan }) => night === green.night && plan.faults.empty !== undefined,
  )
  const before = history.findLast(({ status, night }) => status === 'ok' && night < green.night)
  return mayBeEmpty ? (before?.ended ?? 0) : undefined
}

const isYoung =
  (green: Ran) =>
  ({ record }: Version<Incident>) =>
    record !== null && (record.progress !== 'Closed' || Number(record.start_time) >= green.now - LOOKBACK_S)

/** What a row is instead of any of the versions. */
function wrongnessOf(
  known: Map<string, string[]>,
  wanted: readonly Version<Incident>[],
  row: Record_ | undefined,
) {
  const isThere = row !== undefined && row.vanished_at === null
  if (!isThere)
    return wanted.some(({ record }) => record === null)
      ? undefined
      : `is ${row === undefined ? 'missing' : `vanished since ${(row.vanished_at as Date).toISOString()}`}`
  const found = wanted.map((version) => {
    if (version.record === null) return ['it is gone']
    const key = `${row.incident_id}|${row._hash}|${(row._seen_at as Date).getTime()}|${version.from}`
    const before = known.get(key) ?? differencesOf(version.record as unknown as Record_, row)
    known.set(key, before)
    return before
  })
  const words = found.map((differences, k) => `${differences.join('; ')} [${wanted[k]!.from}]`)
  return found.some((differences) => differences.length === 0) ? undefined : words.join(', or ')
}

const earliest = (versions: readonly Version<Incident>[]) =>
  Math.min(...versions.map(({ record }) => Number(record?.start_time ?? Number.POSITIVE_INFINITY)))

/**
 * The moment since which the month of a start was looked at in green syncs that wanted it: one month a sync, and some are cut. A
 * month whose turn fell on a sync that was not green may have to wait for the next one.
 */
function sweptSince(history: readonly Ran[], green: Ran, start: number): number {
  const wanting = history.slice(0, history.indexOf(green) + 1).filter(({ since }) => since <= start - SLOT_S)
  const greens = wanting.filter(({ status }) => status === 'ok').reverse()
  const once = afterTurns(greens, 1)
  const wasRed = wanting.slice(once ? wanting.indexOf(once) : 0).some(({ status }) => status !== 'ok')
  return (wasRed ? afterTurns(greens, 2) : once)?.began ?? 0
}

/** The newest of green syncs, newest first, since which each month had so many turns: of the longest history meanwhile. */
function afterTurns(greens: readonly Ran[], turns: number): Ran | undefined {
  let months = 0
  return greens.find(({ now, since }, syncs) => {
    months = Math.max(months, Math.ceil((now - LOOKBACK_S - since) / SLOT_S) + 2)
    return syncs >= turns * months
  })
}
