import { differencesOf, type Record_, storedIncidents } from '../../support/truth.ts'
import type { Version } from '../chronicle.ts'
import { greenOf, type Judge, type Ran, type Seen } from '../judge.ts'

const DAY = 86_400
const LOOKBACK_S = 31 * DAY
const SLOT_S = 30 * DAY

type Incident = NonNullable<ReturnType<Seen['company']['incidents']['get']>>

/** The facts on which the allowed delay of one incident depends. */
interface Facts {
  readonly id: string
  readonly row: Record_ | undefined
  readonly green: Ran
  readonly shown: Ran
}

/**
 * Compares every stored incident with the service, field by field. Open and recent incidents must equal the service as
 * of the last successful sync. Older incidents may be as old as the last sync that had to read their month. Incidents
 * before the configured start may be as old as the last sync whose configuration included them.
 */
export function copy(): Judge {
  /** Cached differences, by the content of the row and the version of the record. */
  const known = new Map<string, string[]>()
  return {
    name: 'copy',
    promise: 'what is stored equals the service, and is late by no more than promised',
    async look(seen) {
      const { company, history, rows } = seen
      const last = greenOf(history)
      if (last === undefined) return []
      const { green, shown } = last
      const stored = await storedIncidents(async (sql) => [...(await rows(sql))], { withVanished: true })
      const contents = await readContents(rows)
      const problems: string[] = []
      for (const id of new Set([...company.incidents.ids(), ...stored.keys()])) {
        const [row, ...more] = stored.get(id) ?? []
        if (more.length > 0) problems.push(`${id} is stored ${1 + more.length} times`)
        const due = dueOf(seen, { id, row, green, shown })
        if (due === undefined) continue
        const wanted = company.incidents.between(id, due.from, shown.ended)
        const why = wrongnessOf(known, wanted, row, contents.get(id))
        if (why !== undefined) problems.push(`${id} (${due.why}): ${why}`)
      }
      return problems
    },
  }
}

/**
 * Returns a moment and its reason: the row must equal a version of the record from that moment or later. Undefined if
 * the row is not checked.
 */
function dueOf({ company, history }: Seen, { id, row, green, shown }: Facts) {
  const { incidents } = company
  const now = incidents.between(id, green.began, shown.ended)
  const start = earliest(incidents.between(id, 0, shown.ended))
  const refusing = refusingSince(history, green, shown, `incidents ${id}`)
  if (refusing !== undefined)
    return row === undefined ? undefined : { from: refusing, why: 'refused by the service' }
  // The service may have returned an empty response for the time of this incident, see `heldBack`.
  const unknown = row === undefined ? heldBack(history, green) : undefined
  if (unknown !== undefined && incidents.between(id, unknown, unknown).every(isNone)) return undefined
  // If an incident was open only for a part of the sync, it may have closed before the sync requested it.
  if (row !== undefined && isOpen(row)) return { from: green.began, why: 'stored as open' }
  if (now.every(isYoung(green))) return { from: green.began, why: 'open or recent' }
  const wanting = history.slice(0, history.indexOf(green) + 1).filter(({ since }) => start >= since + DAY)
  const last = wanting.findLast(({ status }) => status === 'ok')
  if (last === undefined)
    // No successful sync had to read this incident. The row may come from the edge of a window, or from a sync that
    // failed.
    return row === undefined ? undefined : { from: history[0]!.began, why: 'never wanted' }
  return { from: sweptSince(history, last, start), why: last === green ? 'old' : 'older than the history' }
}

/** Hashes of the stored fields of each incident. `_hash` alone would not show a change by another program. */
async function readContents(rows: Seen['rows']): Promise<Map<string, string>> {
  const found = await rows(`
    select i.incident_id as id, concat_ws(' ', hash(i), r.content) as content from incidents i
    left join (select incident_id, sum(hash(r)) as content from incident_responders r group by all) r using (incident_id)`)
  return new Map(found.map(({ id, content }) => [id as string, content as string]))
}

const isOpen = (row: Record_) => row.progress !== 'Closed' && row.vanished_at === null

const isNone = ({ record }: Version<Incident>) => record === null

/**
 * If the service refused this record in the last successful sync or later, returns the start of the first sync, which
 * permits all former versions. Otherwise undefined.
 */
function refusingSince(history: readonly Ran[], green: Ran, shown: Ran, record: string): number | undefined {
  const since = history.slice(history.indexOf(green), history.indexOf(shown) + 1)
  return since.some(({ refused }) => refused.has(record)) ? history[0]!.began : undefined
}

/**
 * Returns the end of the second-last successful sync if the service could return empty responses during the last one.
 * Incidents that are new since then may be missing, because SPEC.md accepts an empty response for days that were never
 * read before.
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
    record !== null &&
    Number(record.start_time) >= green.since + DAY &&
    (record.progress !== 'Closed' || Number(record.start_time) >= green.now - LOOKBACK_S)

function wrongnessOf(
  known: Map<string, string[]>,
  wanted: readonly Version<Incident>[],
  row: Record_ | undefined,
  content: string | undefined,
) {
  const isThere = row !== undefined && row.vanished_at === null
  if (!isThere)
    return wanted.some(({ record }) => record === null)
      ? undefined
      : `is ${row === undefined ? 'missing' : `vanished since ${(row.vanished_at as Date).toISOString()}`}`
  const found = wanted.map((version) => {
    if (version.record === null) return ['it is gone']
    const key = `${row.incident_id}|${content}|${version.from}`
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
 * Returns the start of a sync since which the month of `start` must have been read, because each successful sync
 * reads one month in turn. If a sync failed meanwhile, the month may have to wait a second round, see SPEC.md.
 */
function sweptSince(history: readonly Ran[], green: Ran, start: number): number {
  const wanting = history.slice(0, history.indexOf(green) + 1).filter(({ since }) => since <= start - DAY)
  const greens = wanting.filter(({ status }) => status === 'ok').reverse()
  const once = afterTurns(greens, 1)
  const wasRed = wanting.slice(once ? wanting.indexOf(once) : 0).some(({ status }) => status !== 'ok')
  return (wasRed ? afterTurns(greens, 2) : once)?.began ?? history[0]!.began
}

/**
 * Returns the newest sync after which every month was read at least `turns` times. `greens` starts with the newest
 * sync.
 */
function afterTurns(greens: readonly Ran[], turns: number): Ran | undefined {
  let months = 0
  return greens.find(({ now, since }, syncs) => {
    months = Math.max(months, Math.ceil((now - LOOKBACK_S - since) / SLOT_S) + 2)
    return syncs >= turns * months
  })
}
