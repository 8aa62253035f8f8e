import { createHash } from 'node:crypto'
import { cellsOf } from '../../render/cells.ts'
import { type FormatContext, format, plain } from '../../render/format.ts'
import type { Behind, Links, QueryResult } from '../../render/result.ts'
import { objectsOf } from '../../warehouse/read/objects-of.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { Report } from '../parse/parse.ts'
import { frameSql } from '../scope/frame-sql.ts'

/** Rows of `all_incidents.csv`; the table has all. */
const MOST = 10_000

/** The incidents behind a report's figures, and which list each of its blocks leads to. */
export interface FoundBehind {
  /** Null where no block asks for its incidents. */
  readonly behind: Behind | null
  /** Of a block that names this column. */
  linksOf(column: string | null): Links | null
}

/** Finds the incidents of every week, severity, team, channel or hour that a block of the report leads to. */
export async function behindOf(
  session: Session,
  report: Report,
  results: ReadonlyMap<string, QueryResult>,
  context: FormatContext,
): Promise<FoundBehind> {
  const wanted = wantedBy(report)
  if (wanted.length === 0) return { behind: null, linksOf: () => null }
  const dimensions = [...new Set(wanted.map(({ column }) => column))]
  const found = new Map(
    objectsOf(await session.query(frameSql('behind'), { dimensions })).map((row) => [
      keyOf(String(row.dimension), String(row.value)),
      { count: Number(row.incidents), first: (row.first_ones as string[]) ?? [] },
    ]),
  )
  const lists = shownLists(wanted, results, new Set(found.keys()))
  const keys = lists.map(({ dimension, value }) => keyOf(dimension, value))
  const ids = idsOf(lists)
  const only = [...new Set(keys.flatMap((key) => found.get(key)!.first))]
  const all = await session.query(frameSql('all-incidents'), { only, most: MOST + 1 })
  const listed = listedOf(all, new Set(only))
  const positions = new Map(listed.map((row, index) => [`${row.account_id}/${row.incident_id}`, index]))
  const behind: Behind = {
    lists: lists.map(({ dimension, value }, index) => {
      const { count, first } = found.get(keys[index]!)!
      return {
        ...{ id: ids[index]!, label: labelOf(dimension, value, context), count },
        first: first.flatMap((id) => positions.get(id) ?? []),
      }
    }),
    incidents: incidentsOf(listed, dimensions, new Map(keys.map((key, index) => [key, index]))),
    all: { columns: all.columns, rows: all.rows.slice(0, MOST) },
    isCut: all.rows.length > MOST,
  }
  const idsIn = (column: string) =>
    lists.flatMap(({ dimension, value }, index): [string, string][] =>
      dimension === column ? [[value, ids[index]!]] : [],
    )
  return {
    behind,
    linksOf: (column) => (column === null ? null : { column, ids: new Map(idsIn(column)) }),
  }
}

/** A block that leads to incidents: by which column of its query, and how many rows of it are shown. */
interface Wanted {
  query: string
  column: string
  most: number | undefined
}

function wantedBy({ pieces }: Report): Wanted[] {
  return pieces.flatMap((piece) => {
    if ((piece.kind !== 'chart' && piece.kind !== 'table') || piece.body.incidents === null) return []
    const most = piece.kind === 'table' ? piece.body.limit : undefined
    return [{ query: piece.body.data, column: piece.body.incidents, most }]
  })
}

interface List {
  dimension: string
  value: string
}

/** The lists that blocks show, each once, in the order of the page. */
function shownLists(
  wanted: readonly Wanted[],
  results: ReadonlyMap<string, QueryResult>,
  found: ReadonlySet<string>,
): List[] {
  const shown = new Map<string, List>()
  for (const { query, column, most } of wanted) {
    const { columns, rows } = results.get(query)!
    const cells = cellsOf({ columns })
    for (const row of rows.slice(0, most)) {
      const value = cells.text(row, column)
      if (found.has(keyOf(column, value))) shown.set(keyOf(column, value), { dimension: column, value })
    }
  }
  return [...shown.values()]
}

type Rows = Pick<QueryResult, 'columns' | 'rows'>

/** Those of all incidents that a list of the page has. */
function listedOf({ columns, rows }: Rows, only: ReadonlySet<string>) {
  return objectsOf({ columns, rows: rows.filter(([account, id]) => only.has(`${account}/${id}`)) })
}

/** @param at the place of each list, by its key */
function incidentsOf(
  listed: ReturnType<typeof listedOf>,
  dimensions: readonly string[],
  at: ReadonlyMap<string, number>,
): Behind['incidents'] {
  return listed.map((row) => ({
    title: row.title || String(row.num ?? row.incident_id),
    severity: String(row.severity),
    startedAt: row.start_time!,
    lasted: row.lasted_s ?? null,
    isOpen: row.is_open === true,
    holders: row.holders ?? null,
    url: row.detail_url ?? null,
    lists: dimensions.flatMap((dimension) =>
      row.period === 'current' || (dimension === 'week' && row.period === 'running')
        ? (at.get(keyOf(dimension, String(row[dimension] ?? '(none)'))) ?? [])
        : [],
    ),
  }))
}

function keyOf(dimension: string, value: string): string {
  return JSON.stringify([dimension, value])
}

/**
 * `week-2026-11-09`, `team-payments`: the same in every run. A name that is more than letters and digits, or that another of the page
 * is like, has a part of its hash.
 */
function idsOf(lists: readonly List[]): string[] {
  const plain = lists.map(
    ({ dimension, value }) => `${dimension}-${value.toLowerCase().replaceAll(' ', '-')}`,
  )
  return lists.map(({ dimension, value }, index) => {
    const id = plain[index]!
    const isOwn = plain.indexOf(id) === plain.lastIndexOf(id)
    if (isOwn && /^[a-z0-9-]{1,40}$/.test(id.slice(dimension.length + 1))) return id
    return `${dimension}-x${createHash('sha256').update(value).digest('hex').slice(0, 8)}`
  })
}

function labelOf(dimension: string, value: string, context: FormatContext): string {
  if (dimension === 'week') return `Week of ${plain(format(value, 'date', context))}`
  if (dimension === 'hour')
    return `${value.padStart(2, '0')}:00 to ${String(Number(value) + 1).padStart(2, '0')}:00`
  return value
}
