import { quoteIdentifier } from '../../definitions/quote.ts'
import { type Cells, cellsOf } from '../../render/cells.ts'
import type { ListedIncident, Measure, Value } from '../../render/result.ts'
import { measures } from '../../render/result-parts.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { type Bucket, markOf, measureOf, sqlOf } from './incident-selection.ts'
import { type Source, sources } from './link-spec.ts'

const LISTED_MOST = 500
/** With more rows, lists would take too long. Then there are no lists, and files contain only the newest rows. */
const ROWS_MOST = 100_000
const NEWEST = 10_000

/** Columns of the incident files. Lists show some of them. */
const written = `
  account_id incident_id num title severity period week weekday hour band person_id paged_at
  local_time start_time closed_at lasted_s is_open is_waiting state muted acknowledged self_healed
  handled_by_people time_to_ack_s tta ttr ttr_all recover ack_outcome resolve_outcome team channel
  integration holders detail_url
`
  .trim()
  .split(/\s+/)
/** Columns that contain seconds, but do not have the unit in their names. */
const durations = ['tta', 'ttr', 'ttr_all', 'recover']
const times = Object.keys(measures) as Measure[]

/** Returns the time of the oldest row to include in the incident files. Null to include all rows, and show lists. */
export async function newestFrom(session: Session, source: Source): Promise<Date | null> {
  const { from, at } = sources[source]
  const { rows } = await session.query(`select count(*) from ${from}`)
  if (Number(rows[0]![0]) <= ROWS_MOST) return null
  const newest = await session.query(
    `select ${at} from ${from} order by ${at} desc limit 1 offset ${NEWEST - 1}`,
  )
  return newest.rows[0]![0] as Date
}

/** Reads all incidents or pages once, and adds each row to every bucket whose conditions it meets. */
export async function readRows(session: Session, source: Source, buckets: readonly Bucket[]) {
  const { relation, at, order } = sources[source]
  const { columns: known } = await session.query(`from ${relation} limit 0`)
  const names = written.filter((one) => known.some(({ name }) => name === one))
  const marks = buckets.map(markOf)
  const indexesOf = (conditions: readonly (string | undefined)[]) => {
    const indexes = conditions.map((sql, index) => (sql ? `if(${sql}, ${index}, null)` : 'null'))
    return `list_filter([${indexes.join(', ')}]::integer[], lambda index: index is not null)`
  }
  const { columns, rows } = await session.query(`
    select
      ${names.map(quoteIdentifier).join(', ')},
      row_number() over (
        order by ${order}, account_id, incident_id, ${at}
      ) as worst,
      ${indexesOf(buckets.map(sqlOf))} as lists,
      ${indexesOf(marks.map((mark) => mark?.sql))} as marked
    from ${relation}
    order by ${at} desc, account_id, incident_id`)
  const width = names.length
  const members = buckets.map((): (readonly Value[])[] => [])
  for (const row of rows) for (const index of row[width + 1] as number[]) members[index]!.push(row)
  const cells = cellsOf({ columns })
  const listed = listing(cells)
  return {
    file: {
      name: relation,
      columns: columns
        .slice(0, width)
        .map((column) => (durations.includes(column.name) ? { ...column, unit: 's' as const } : column)),
      rows: rows.map((row) => row.slice(0, width)),
    },
    lists: members.map((each, index) => {
      const measure = measureOf(buckets[index]!)
      const known = (row: readonly Value[]) =>
        measure === null ? 0 : (cells.number(row, measure) ?? cells.number(row, 'lasted_s') ?? 0)
      const mark = marks[index]!
      const marked = new Set(mark && each.filter((row) => (row[width + 2] as number[]).includes(index)))
      const isMarked = (row: readonly Value[]) => Number(marked.has(row))
      each.sort(
        (a, b) =>
          isMarked(b) - isMarked(a) ||
          known(b) - known(a) ||
          cells.number(a, 'worst')! - cells.number(b, 'worst')!,
      )
      return {
        count: each.length,
        marked: mark && { as: mark.as, count: marked.size },
        measure,
        first: each.slice(0, LISTED_MOST).map(listed),
      }
    }),
  }
}

/** Converts rows for the lists. To save memory, the same row always gives the same object. */
export function listing(cells: Cells): (row: readonly Value[]) => ListedIncident {
  const known = new Map<readonly Value[], ListedIncident>()
  return (row) => {
    const one = known.get(row) ?? {
      title:
        String(cells.value(row, 'title') ?? '').trim() ||
        String(cells.value(row, 'num') || cells.value(row, 'incident_id')),
      severity: cells.text(row, 'severity'),
      team: cells.value(row, 'team'),
      state: cells.value(row, 'state'),
      at: cells.value(row, 'paged_at') ?? cells.value(row, 'start_time'),
      person: cells.value(row, 'holders'),
      localTime: cells.value(row, 'local_time'),
      seconds: Object.fromEntries(times.map((name) => [name, cells.value(row, name)])) as never,
      url: cells.value(row, 'detail_url'),
    }
    known.set(row, one)
    return one
  }
}
