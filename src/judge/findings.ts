import { quoteLiteral } from '../definitions/quote.ts'
import { numberOf } from '../render/format.ts'
import type { QueryResult, Value } from '../render/result.ts'
import type { FindingPart } from '../report/parse/block-schema.ts'
import type { BlockSource } from '../report/parse/block-source.ts'
import { cardsOf, type Report } from '../report/parse/parse.ts'
import type { OpenFrame } from '../report/scope/frame.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'
import type { CardFigure } from './card-figures.ts'
import type { Verdict } from './change-verdict.ts'
import type { Quality } from './data-quality.ts'
import { nameOf } from './figures.ts'
import type { Finding } from './finding.ts'
import { incompleteSql } from './incomplete.ts'
import { suspendedVerdicts } from './suspended-verdicts.ts'

export const comparing: readonly FindingPart[] = ['counts', 'times']
/** Finds data problems, which suspend comparisons in every report. */
const problems = ['findings-data', 'findings-gaps'].map(frameSql)

type Source = Extract<BlockSource, { kind: 'findings' }>

/** Findings that are not sentences yet. */
export interface ReadFindings {
  readonly source: Source
  /** The significant candidates, including those that others imply. */
  readonly all: readonly Finding[]
  /** The other candidates, which are the last rows of `table`. */
  readonly others: readonly Finding[]
  /** Final verdicts on cards whose change is no longer sure after a correction for all figures on the page. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly table: Table
}

export function findingsSource(report: Report): Source | undefined {
  return report.pieces.find((piece) => piece.kind === 'findings')
}

export function findingQueries(report: Report): string[] {
  const source = findingsSource(report)
  return source || cardsOf(report).length > 0 ? [...problems, ...(source?.about ?? []).map(queryOf)] : []
}

const queryOf = (part: FindingPart) => frameSql(`findings-${part}`)

/** Returns null if the report has no findings block. */
export async function readFindings(
  session: Session,
  report: Report,
  open: OpenFrame,
  cards: readonly CardFigure[],
  quality: Quality,
): Promise<ReadFindings | null> {
  const source = findingsSource(report)
  if (!source) return null
  const parts = await partsOf(source.about, open, session)
  // Reports with the same period share these relations.
  for (const part of parts)
    await open.keep(
      `scoped_findings_${part}`,
      `from no_candidates()\nunion all by name\nfrom (\n${queryOf(part)}\n)`,
    )
  const candidates = withCandidates([
    ...incompleteSql(open, quality),
    ...parts.map((part) => `from scoped_findings_${part}`),
    ...cards.flatMap(cardSql),
  ])
  const tested = await session.query(`${candidates}\nfrom findings('candidates') order by place`, open.bound)
  const sure = objectsOf(tested).filter((row) => row.is_sure === true)
  const suspended = await suspendedVerdicts(session, report, cards, sure)
  const [kept, dropped] = withoutSuspended(tested, source.about, cards, suspended)
  const table = await withCauses(session, { columns: tested.columns, rows: kept })
  const found = objectsOf(table)
  return {
    source,
    all: await allOf(session, found, cards),
    others: objectsOf({ columns: tested.columns, rows: dropped }).map((row) => ({
      ...findingOf(row, cards),
      ...{ url: null, owner: null },
    })),
    verdicts: new Map([...doubted(cards, found), ...suspended]),
    table: { ...table, rows: [...table.rows, ...dropped.map((row) => [...row, null, null, null])] },
  }
}

/** Returns the verdicts that data problems suspend in a report without a findings block. */
export async function readSuspended(
  session: Session,
  report: Report,
  { bound }: OpenFrame,
  cards: readonly CardFigure[],
): Promise<ReadonlyMap<string, Verdict>> {
  // No data problem suspends a share.
  if (!cards.some(({ judged }) => judged && judged.measure !== 'share')) return new Map()
  const sql = `${withCandidates([])}\nfrom tested_candidates('candidates') where is_sure`
  const found = await session.query(sql, bound)
  return suspendedVerdicts(session, report, cards, objectsOf(found))
}

/** Builds the relation `candidates` from data problems and other candidates. */
function withCandidates(others: readonly string[]): string {
  const parts = ['from no_candidates()', ...problems.map((sql) => `from (\n${sql}\n)`), ...others]
  return `with candidates as (\n${parts.join('\nunion all by name\n')}\n)`
}

/**
 * Separates the significant candidates from all others, which include the changes of suspended cards, because the data
 * problem is reported instead.
 */
function withoutSuspended(
  { columns, rows }: Table,
  about: readonly FindingPart[],
  cards: readonly CardFigure[],
  suspended: ReadonlyMap<string, Verdict>,
): [kept: Table['rows'], dropped: Table['rows']] {
  const keys = cards.flatMap(({ body }, index) =>
    suspended.has(nameOf(body.value)) ? keysOf(index)[0]! : [],
  )
  // A timer is a standing fact, which a report about other facts does not mention.
  const omitted = about.includes('standing') ? keys : [...keys, 'timer']
  const place = (name: string) => columns.findIndex((column) => column.name === name)
  const [key, sure, reason] = [place('key'), place('is_sure'), place('reason')]
  const isSuspended = (row: readonly Value[]) => omitted.includes(String(row[key]))
  const named = rows.map((row) =>
    isSuspended(row) ? row.with(sure, false).with(reason, 'touched by a data problem') : row,
  )
  return [named.filter((row) => row[sure] === true), named.filter((row) => row[sure] !== true)]
}

const CAUSED = ['outside', 'month', 'week', 'burst']

/** Adds the alert behind an increase: `cause`, the number of its incidents and the day from which it is more frequent. */
async function withCauses(session: Session, { columns, rows }: Table): Promise<Table> {
  const asked = objectsOf({ columns, rows }).filter(
    ({ kind, is_worse, gives_way }) =>
      CAUSED.includes(String(kind)) && is_worse === true && gives_way !== true,
  )
  const values = asked.map(
    ({ kind, key, value, before }) =>
      `('${kind}', ${quoteLiteral(String(key))}, ${Number(value)}::double, ${Number(before)}::double)`,
  )
  const found =
    values.length === 0
      ? []
      : objectsOf(
          await session.query(
            `with asked (kind, key, value, before) as (values ${values.join(', ')})\nfrom (\n${frameSql('finding-causes')}\n)`,
          ),
        )
  const place = (name: string) => columns.findIndex((column) => column.name === name)
  const [kind, key] = [place('kind'), place('key')]
  return {
    columns: [
      ...columns,
      { name: 'cause', type: 'VARCHAR' },
      { name: 'cause_n', type: 'DOUBLE' },
      { name: 'cause_since', type: 'VARCHAR' },
    ],
    rows: rows.map((row) => {
      const cause = found.find((one) => one.kind === row[kind] && one.key === row[key])
      return [...row, cause?.cause ?? null, numberOf(cause?.cause_n ?? null), cause?.cause_since ?? null]
    }),
  }
}

type Table = Pick<QueryResult, 'columns' | 'rows'>

async function allOf(
  session: Session,
  rows: readonly Record<string, Value>[],
  cards: readonly CardFigure[],
): Promise<Finding[]> {
  const keys = rows.filter(({ kind }) => kind === 'unattended').map(({ key }) => quoteLiteral(String(key)))
  const named =
    keys.length === 0
      ? []
      : objectsOf(
          await session.query(
            `from scoped_open join scoped_details using (account_id, incident_id) where incident_id in (${keys.join(', ')})`,
          ),
        )
  const text = (value: Value | undefined) => (typeof value === 'string' && value !== '' ? value : null)
  return rows.map((row) => {
    const open = named.find(({ incident_id }) => incident_id === row.key)
    return { ...findingOf(row, cards), url: text(open?.detail_url), owner: text(open?.team_name) }
  })
}

/**
 * Findings about changes need full data without gaps for both periods. Past periods have no findings about open
 * incidents.
 */
async function partsOf(
  about: readonly FindingPart[],
  { comparable, bound, frame }: OpenFrame,
  session: Session,
) {
  const { rows } = await session.query('from scoped_silences where in_current + in_previous > 0')
  const isPast = (bound.scope_end as Date) < frame.asOfInstant
  return about.filter(
    (part) =>
      ((comparable && rows.length === 0) || !comparing.includes(part)) && !(isPast && part === 'open'),
  )
}

/** A sure change becomes a possible change if the correction for all comparisons on the page rejects it. */
function doubted(
  cards: readonly CardFigure[],
  rows: readonly Record<string, Value>[],
): ReadonlyMap<string, Verdict> {
  const found = new Set(rows.map(({ key }) => key))
  return new Map(
    cards.flatMap(({ body, judged, tone }, index): [string, Verdict][] => {
      if (tone === 'same' || judged?.verdict.code !== 'sure' || found.has(keysOf(index)[0]!)) return []
      return [[nameOf(body.value), { ...judged.verdict, code: 'possible' }]]
    }),
  )
}

const keysOf = (index: number) => [`shift of card ${index}`, `goal of card ${index}`]

/** Builds SQL for the possible findings about a card: a change that is significant at 1%, and a missed target. */
function cardSql(
  { body, value: known, before, n, judged, hasChange, tone, target }: CardFigure,
  index: number,
): string[] {
  const value = known ?? 0
  const number = (figure: number | null | undefined) =>
    figure == null || !Number.isFinite(figure) ? 'null' : `${figure}::double`
  const [shiftKey, goalKey] = keysOf(index)
  const row = (kind: string, key: string | undefined, of: string, isWorse: boolean) =>
    `select '${kind}' as kind, 'cards' as topic, '${key}' as key, ${quoteLiteral(body.label)} as subject,
      ${of}, ${number(n ?? value)} as n, ${isWorse} as is_worse`
  const ratio = (moved: number | null | undefined) =>
    number(judged?.measure === 'share' || moved == null ? null : 1 + moved)
  const shift = `${number(value)} as value, ${number(before)} as before, ${ratio(judged?.moved)} as estimate,
    ${ratio(judged?.movedInterval?.[0])} as low, ${ratio(judged?.movedInterval?.[1])} as high`
  // Insignificant changes count as comparisons in the correction too.
  const isSure = tone !== 'same'
  const chance = judged?.basis?.p
  const of = `, ${quoteLiteral(body.value.column)} as detail`
  const p = `, ${chance == null ? 'null::double' : isSure ? number(chance) : '1e0'} as p`
  return [
    ...(hasChange && (isSure || chance != null)
      ? [row('shift', shiftKey, shift + of + p, tone === 'worse')]
      : []),
    ...(target && !target.met && !target.isNoise
      ? [row('goal', goalKey, `${number(value)} as value, ${number(target.limit)} as before`, true)]
      : []),
  ]
}

function findingOf(row: Record<string, Value>, cards: readonly CardFigure[]): Omit<Finding, 'url' | 'owner'> {
  const text = (value: Value | undefined) => (typeof value === 'string' ? value : null)
  return {
    kind: String(row.kind),
    key: String(row.key),
    n: numberOf(row.n),
    topic: shownAs[String(row.topic)] ?? String(row.topic),
    subject: text(row.subject),
    within: text(row.within),
    value: numberOf(row.value),
    before: numberOf(row.before),
    estimate: numberOf(row.estimate),
    isWorse: row.is_worse === true,
    detail: text(row.detail),
    amount: numberOf(row.amount),
    part: numberOf(row.part),
    isTested: row.q !== null,
    givesWay: row.gives_way === true,
    reason: text(row.reason),
    isStanding: row.is_standing === true,
    isApart: typeof row.is_apart === 'boolean' ? row.is_apart : null,
    cause: text(row.cause),
    causeN: numberOf(row.cause_n),
    causeSince: text(row.cause_since),
    card: cards.find((_, index) => keysOf(index).includes(String(row.key))) ?? null,
  }
}

/** Findings about integrations are shown under channels, and findings about data gaps under counts. */
const shownAs: Record<string, string> = { integrations: 'sources', silence: 'counts' }
