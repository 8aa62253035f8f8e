import { ReportError } from '../errors.ts'
import { firstLineOf } from '../external-errors.ts'
import type { Counted } from '../judge/finding-incidents.ts'
import { type Cells, cellsOf } from '../render/cells.ts'
import { chartOf } from '../render/charts/index.ts'
import { contextOf } from '../render/format.ts'
import type { IncidentList, Links, Lists, QueryColumn, QueryResult, Value } from '../render/result.ts'
import type { Mapping } from '../render/spec.ts'
import type { Shapes } from '../report/check-blocks.ts'
import { isCount } from '../report/figure-sample.ts'
import { asFilter } from '../report/incidents/explorer-link.ts'
import { type Bucket, bucketOf, hashOf, keyOf, slugOf } from '../report/incidents/incident-selection.ts'
import { planOf, type Source, sourceOf, sources } from '../report/incidents/link-spec.ts'
import { newestFrom, readRows } from '../report/incidents/read-rows.ts'
import type { Report } from '../report/parse/parse.ts'
import { type Place, stop, type Tell } from '../report/parse/report-errors.ts'
import type { OpenFrame } from '../report/scope/frame.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import type { QueryParameters } from '../warehouse/read/bind.ts'
import type { Session } from '../warehouse/read/session.ts'
import { captions, labelOf, mismatchText, timeOf } from './sentences/list-titles.ts'

interface Asked {
  readonly mapping: Mapping
  readonly query: string
  readonly caption: string
  /** The column with the number of incidents behind a row, or null. */
  readonly counts: string | null
  readonly shown: (rows: QueryResult['rows'], cells: Cells) => QueryResult['rows']
  readonly at: Place
}

export interface FoundLists {
  readonly lists: Lists | null
  linksOf(mapping: Mapping | null | undefined): Links | null
  /** Returns the id of the list for a number in a sentence. Null if the list has a different number of incidents. */
  listOf(number: Counted | null): string | null
  /** Warnings about numbers that differ from the length of their list. */
  readonly warnings: readonly string[]
}

function askedBy({ pieces }: Report): Asked[] {
  return pieces.flatMap((piece): Asked[] => {
    if (piece.kind === 'kpis')
      return piece.cards.flatMap(({ incidents, label, value, n, format }) => {
        if (incidents === null) return []
        const counts = format === 'number' ? value.column : n?.query === value.query ? n.column : null
        // The previous share is of the incidents that were decided at that time, which no list can select.
        const periods = format === 'percent' ? ['current'] : ['current', 'previous']
        const shown: Asked['shown'] = (rows, { text }) =>
          rows.length > 1 ? rows.filter((row) => periods.includes(text(row, 'period'))) : rows
        return [{ mapping: incidents, query: value.query, caption: label, counts, shown, at: piece.at }]
      })
    if (piece.kind !== 'chart' && piece.kind !== 'table') return []
    const { data: query, incidents } = piece.body
    const own = { query, at: piece.at }
    if (piece.kind === 'chart') {
      const counts = chartOf(piece.body).counts?.(piece.body) ?? null
      return incidents === null
        ? []
        : [{ ...own, mapping: incidents, caption: '', counts, shown: (rows) => rows }]
    }
    const { limit, columns = [] } = piece.body
    const shown: Asked['shown'] = (rows) => rows.slice(0, limit)
    return [
      ...(incidents === null ? [] : [{ ...own, mapping: incidents, caption: '', counts: null, shown }]),
      ...columns.flatMap(({ column, label, format, n, incidents: mapping }) => {
        if (!mapping) return []
        const counts = n ?? (format === undefined || format === 'number' ? column : null)
        return [{ ...own, mapping, caption: label ?? column.replaceAll('_', ' '), counts, shown }]
      }),
    ]
  })
}

const EVERY: Bucket = { of: 'incidents', tests: [{ column: 'period', is: ['current'], isOfRow: false }] }

export const NO_LISTS: FoundLists = { lists: null, linksOf: () => null, listOf: () => null, warnings: [] }

/** Returns the queries for the lists of a report, and queries with the lists’ SQL conditions. */
export function listQueries(report: Report): string[] {
  const asked = askedBy(report)
  return [...sourcesOf(report, asked).map(queryOf), ...asked.flatMap(({ mapping }) => sqlIn(mapping))]
}

/** Returns queries with the SQL conditions of an `incidents:` field. */
function sqlIn(mapping: Mapping): string[] {
  return [mapping.where, mapping.share].flatMap((sql) =>
    typeof sql === 'string' ? [`from ${sources[sourceOf(mapping)].relation} where (${sql}\n)`] : [],
  )
}

function sourcesOf({ pieces }: Report, asked: readonly Asked[]): Source[] {
  const hasNights = pieces.some((piece) => piece.kind === 'findings' && piece.about.includes('nights'))
  const pages: Source[] = hasNights && asked.length > 0 ? ['pages'] : []
  return [...new Set([...asked.map(({ mapping }) => sourceOf(mapping)), ...pages])]
}

const queryOf = (source: Source) => frameSql(sources[source].relation.replaceAll('_', '-'))

type Columns = ReadonlyMap<Source, readonly QueryColumn[]>

/** If there are too many rows for lists, stores only the newest. */
async function keepRows(
  session: Session,
  report: Report,
  asked: readonly Asked[],
  bound: QueryParameters,
  rows = true,
): Promise<{ listed: Columns; isCut: boolean }> {
  const listed = new Map<Source, readonly QueryColumn[]>()
  let isCut = false
  for (const source of sourcesOf(report, asked)) {
    const { relation } = sources[source]
    const listed_from = rows ? await newestFrom(session, source) : null
    isCut ||= listed_from !== null
    await session.keep(relation, queryOf(source), { parameters: { ...bound, listed_from }, rows })
    const { columns } = await session.query(`from ${relation} limit 0`)
    listed.set(source, columns)
  }
  return { listed, isCut }
}

/** Reports mistakes in the `incidents:` fields of a report. */
export async function checkLists(
  session: Session,
  report: Report,
  shapes: Shapes,
  bound: QueryParameters,
  tell: Tell,
): Promise<void> {
  const asked = askedBy(report)
  const { listed } = await keepRows(session, report, asked, bound, false)
  for (const { mapping, query, at } of asked) {
    const columns = shapes.get(query)
    // A failed or unknown query has already been reported.
    if (!columns) continue
    planOf(mapping, { name: query, columns }, listed.get(sourceOf(mapping))!, at, tell)
    // DuckDB checks conditions that are written in SQL.
    for (const sql of sqlIn(mapping))
      await session.query(`${sql} limit 0`).catch((cause: Error) => {
        const message = `\`where\` or \`share\` of \`incidents\` cannot be read: ${firstLineOf(cause)}`
        tell(new ReportError(message, at, { cause }))
      })
  }
}

export async function listsOf(
  session: Session,
  report: Report,
  results: ReadonlyMap<string, QueryResult>,
  bound: QueryParameters,
  frame: OpenFrame['frame'],
  numbers: readonly Counted[] = [],
): Promise<FoundLists> {
  const asked = askedBy(report)
  if (asked.length === 0) return NO_LISTS
  const context = contextOf(frame)
  const filterOf = (bucket: Bucket) => asFilter(bucket, { frame, bound, zone: report.front.params.timezone })
  const { listed, isCut } = await keepRows(session, report, asked, bound)
  const wanted = asked.map((one) => {
    const result = results.get(one.query)!
    const cells = cellsOf(result)
    // A column with fractions, such as a mean, is not a number of incidents.
    const counts = one.counts !== null && isCount(result.columns, one.counts) ? one.counts : null
    const plan = planOf(one.mapping, result, listed.get(sourceOf(one.mapping))!, one.at, stop)
    const rows = one.shown(result.rows, cells).flatMap((row) => {
      const said = counts === null ? null : cells.number(row, counts)
      const bucket = said === 0 ? null : bucketOf(plan, row, cells)
      return bucket === null ? [] : [{ row, said, bucket, key: keyOf(bucket) }]
    })
    return { ...one, counts, rows }
  })
  const buckets = new Map<string, { bucket: Bucket; label: string; slug: string }>()
  for (const { rows, caption } of wanted)
    for (const { key, bucket } of rows)
      if (!buckets.has(key))
        buckets.set(key, { bucket, label: labelOf(bucket, caption, context), slug: slugOf(bucket, caption) })
  // Numbers in sentences also get lists, if rows of their kind are available.
  for (const { bucket, caption } of numbers.filter((one) => listed.has(one.bucket.of)))
    if (!buckets.has(keyOf(bucket)))
      buckets.set(keyOf(bucket), {
        bucket,
        label: labelOf(bucket, captions[caption] ?? caption, context),
        slug: slugOf(bucket, caption),
      })
  const found = new Map<string, IncidentList>()
  const all: Lists['all'][number][] = []
  const ids = idsOf([...buckets.values()])
  for (const source of listed.keys()) {
    const own = [...buckets].filter(([, { bucket }]) => bucket.of === source)
    if (own.length === 0) continue
    const read = await readRows(
      session,
      source,
      own.map(([, { bucket }]) => bucket),
    )
    all.push(read.file)
    own.forEach(([key, { bucket, label }], index) => {
      const own = read.lists[index]!
      if (own.count === 0) return
      const said = { label, time: timeOf(bucket, frame), filter: filterOf(bucket) }
      found.set(key, { id: ids.get(bucket)!, of: sources[source].of, ...own, ...said })
    })
  }
  return {
    ...linked(wanted, isCut ? new Map() : found),
    listOf(number) {
      const list = number && !isCut ? found.get(keyOf(number.bucket)) : undefined
      return list && list.count === number?.said ? list.id : null
    },
    lists: { lists: isCut ? [] : [...found.values()], all, filter: filterOf(EVERY), isCut },
  }
}

function linked(
  wanted: readonly (Asked & {
    rows: readonly { row: readonly Value[]; said: number | null; key: string }[]
  })[],
  found: ReadonlyMap<string, IncidentList>,
): Pick<FoundLists, 'linksOf' | 'warnings'> {
  const warnings: string[] = []
  const links = new Map<Mapping, Links>()
  for (const { mapping, query, counts, rows } of wanted) {
    const said = new Map<string, number>()
    for (const row of rows) said.set(row.key, (said.get(row.key) ?? 0) + (row.said ?? Number.NaN))
    const own = rows.flatMap(({ row, key }): [readonly Value[], string][] => {
      const list = found.get(key)
      const number = said.get(key)!
      if (!list) return []
      // Without a link, readers need not wonder whether the number or the list is right.
      if (Number.isNaN(number) || number === list.count) return [[row, list.id]]
      warnings.push(mismatchText(`${query}.${counts}`, number, list))
      return []
    })
    links.set(mapping, new Map(own))
  }
  return { warnings: [...new Set(warnings)], linksOf: (mapping) => (mapping && links.get(mapping)) ?? null }
}

/** If several buckets have the same slug, adds a hash. */
function idsOf(buckets: readonly { bucket: Bucket; slug: string }[]): Map<Bucket, string> {
  const slugs = buckets.map(({ slug }) => slug)
  return new Map(
    buckets.map(({ bucket, slug }) => {
      const isOwn = slugs.indexOf(slug) === slugs.lastIndexOf(slug)
      return [bucket, isOwn ? slug : `${slug}-${hashOf(keyOf(bucket))}`]
    }),
  )
}
