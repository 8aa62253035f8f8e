import { quoteLiteral } from '../definitions/quote.ts'
import { resolveKpi } from '../page/draw-card.ts'
import type { ResolveContext } from '../page/draw-text.ts'
import type { FoundLists } from '../page/incident-lists.ts'
import { numberOf } from '../render/format.ts'
import type { KpiCard, QueryResult, Value } from '../render/result.ts'
import type { FindingPart, KpiBody } from '../report/parse/block-schema.ts'
import type { BlockSource } from '../report/parse/block-source.ts'
import { cardsOf, type Report } from '../report/parse/parse.ts'
import type { Place } from '../report/parse/report-errors.ts'
import type { OpenFrame } from '../report/scope/frame.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'
import { cell, comparedIn, limitOf, pairOf } from './figure-values.ts'
import type { Finding } from './finding.ts'
import { countedByFinding } from './finding-incidents.ts'

export const comparing: readonly FindingPart[] = ['counts', 'times']
/** Run for every lead, because data problems weaken all other figures. */
const always = ['findings-data', 'findings-gaps']

type Source = Extract<BlockSource, { kind: 'findings' }>

/** Findings before they are worded. */
export interface ReadFindings {
  readonly source: Source
  readonly all: readonly Finding[]
  readonly cards: readonly Card[]
  readonly table: Table
}

/** Returns the findings block of a report. */
export function findingsSource(report: Report): Source | undefined {
  return report.pieces.find((piece) => piece.kind === 'findings')
}

/** Returns the queries of a report’s findings. */
export function findingQueries(report: Report): string[] {
  const about = findingsSource(report)?.about
  return about ? [...always.map(frameSql), ...about.map(queryOf)] : []
}

const queryOf = (part: FindingPart) => frameSql(`findings-${part}`)

/** Computes the findings on a report’s incidents and cards. Null if the report has no findings block. */
export async function readFindings(
  session: Session,
  report: Report,
  open: OpenFrame,
  known: ResolveContext,
): Promise<ReadFindings | null> {
  const source = findingsSource(report)
  if (!source) return null
  const cards = cardsOf(report).map(({ card: body, at }) => ({ body, at, card: resolveKpi(body, at, known) }))
  const parts = await partsOf(source.about, open, session)
  // Shared with other reports.
  for (const part of parts)
    await open.keep(
      `scoped_findings_${part}`,
      `from no_candidates\nunion all by name\nfrom (\n${queryOf(part)}\n)`,
    )
  const candidates = [
    'from no_candidates',
    ...always.map((name) => `from (\n${frameSql(name)}\n)`),
    ...parts.map((part) => `from scoped_findings_${part}`),
    ...cards.flatMap((each, index) => cardSql(index, each, known)),
  ].join('\nunion all by name\n')
  const { columns, rows } = await withCauses(
    session,
    await session.query(
      `with candidates as (\n${candidates}\n)\nfrom findings('candidates') order by place`,
      open.bound,
    ),
  )
  const found = objectsOf({ columns, rows })
  doubtCards(cards, found, known)
  const all = await allOf(session, found, cards)
  return { source, all, cards, table: { columns, rows } }
}

const CAUSED = ['outside', 'month', 'week']

/** Adds the columns `cause` and `cause_n`: the alert behind an increase, if there is one. */
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
    columns: [...columns, { name: 'cause', type: 'VARCHAR' }, { name: 'cause_n', type: 'DOUBLE' }],
    rows: rows.map((row) => {
      const cause = found.find((one) => one.kind === row[kind] && one.key === row[key])
      return [...row, cause?.cause ?? null, cause ? numberOf(cause.cause_n) : null]
    }),
  }
}

type Table = Pick<QueryResult, 'columns' | 'rows'>

async function allOf(
  session: Session,
  rows: readonly Record<string, Value>[],
  cards: readonly Card[],
): Promise<Finding[]> {
  const keys = rows.filter(({ kind }) => kind === 'unattended').map(({ key }) => quoteLiteral(String(key)))
  const named =
    keys.length === 0
      ? []
      : objectsOf(await session.query(`from scoped_details where incident_id in (${keys.join(', ')})`))
  const urls = new Map(named.map((row) => [row.incident_id, String(row.detail_url ?? '')]))
  return rows.map((row) => ({ ...findingOf(row, cards), url: urls.get(row.key ?? null) ?? null }))
}

/** Adds incident lists to findings. A finding about a card links to the card’s list. */
export function linkFindings(
  found: ReadFindings,
  { listOf }: Pick<FoundLists, 'listOf'>,
  known: ResolveContext,
): ReadFindings {
  const all = found.all.map((one): Finding => {
    const card = found.cards.find(({ card }) => card === one.card)
    if (card) return { ...one, list: resolveKpi(card.body, card.at, known).link ?? null }
    const { now, before } = countedByFinding(one)
    return { ...one, list: listOf(now), listBefore: listOf(before) }
  })
  return { ...found, all }
}

/** Changes need full data for both periods, counts need no data gap, open incidents need an unfinished period. */
async function partsOf(
  about: readonly FindingPart[],
  { comparable, bound, frame }: OpenFrame,
  session: Session,
) {
  const { rows } = await session.query('from scoped_silences where in_current + in_previous > 0')
  const isPast = (bound.scope_end as Date) < frame.asOfInstant
  return about.filter(
    (part) =>
      (comparable || !comparing.includes(part)) &&
      !(isPast && part === 'open') &&
      !(rows.length > 0 && part === 'counts'),
  )
}

/** Downgrades card changes that did not remain findings after correction for all comparisons of the page. */
function doubtCards(
  cards: readonly Card[],
  rows: readonly Record<string, Value>[],
  { figures }: ResolveContext,
) {
  const found = new Set(rows.map(({ key }) => key))
  for (const [index, { body, card }] of cards.entries())
    if (card.change && card.change.tone !== 'same' && !found.has(keysOf(index)[0]!)) figures.doubt(body.value)
}

const keysOf = (index: number) => [`shift of card ${index}`, `goal of card ${index}`]

/** A card as written and as shown. */
export interface Card {
  body: KpiBody[number]
  at: Place
  card: KpiCard
}

/** Builds the finding candidates of a card: a change that is significant at 1%, and a missed target. */
function cardSql(index: number, { body, at, card }: Card, known: ResolveContext): string[] {
  const { query, column } = body.value
  const result = known.results.get(query)!
  const judged = known.figures.of(body.value)
  const pair = pairOf(result, at)
  const value = numberOf(cell(result, pair.now, column)) ?? 0
  const before = judged ? comparedIn(result, column, pair, judged).before : null
  const number = (figure: number | null | undefined) =>
    figure == null || !Number.isFinite(figure) ? 'null' : `${figure}::double`
  const [shiftKey, goalKey] = keysOf(index)
  const row = (kind: string, key: string | undefined, of: string, isWorse: boolean) =>
    `select '${kind}' as kind, 'cards' as topic, '${key}' as key, ${quoteLiteral(card.label)} as subject,
      ${of}, ${number(card.n ?? value)} as n, ${isWorse} as is_worse`
  const { change, target } = card
  const ratio = (moved: number | null | undefined) =>
    number(judged?.measure === 'share' || moved == null ? null : 1 + moved)
  const shift = `${number(value)} as value, ${number(before)} as before, ${ratio(judged?.moved)} as estimate,
    ${ratio(judged?.movedInterval?.[0])} as low, ${ratio(judged?.movedInterval?.[1])} as high`
  // Insignificant changes count as comparisons too, for the correction.
  const isSure = change !== null && change.tone !== 'same'
  const chance = judged?.basis?.p
  const of = `, ${quoteLiteral(column)} as detail`
  const p = `, ${chance == null ? 'null::double' : isSure ? number(chance) : '1e0'} as p`
  return [
    ...(change && (isSure || chance != null)
      ? [row('shift', shiftKey, shift + of + p, change.tone === 'worse')]
      : []),
    ...(target && !target.met && !target.isNoise
      ? [
          row(
            'goal',
            goalKey,
            `${number(value)} as value, ${number(limitOf(body, at, known))} as before, ${target.isDefault === true} as is_default`,
            true,
          ),
        ]
      : []),
  ]
}

function findingOf(row: Record<string, Value>, cards: readonly Card[]): Omit<Finding, 'url'> {
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
    isTested: row.q !== null,
    givesWay: row.gives_way === true,
    isDefault: row.is_default === true,
    isStanding: row.is_standing === true,
    isApart: typeof row.is_apart === 'boolean' ? row.is_apart : null,
    cause: text(row.cause),
    causeN: numberOf(row.cause_n),
    card: cards.find((_, index) => keysOf(index).includes(String(row.key)))?.card ?? null,
  }
}

/** Integrations appear under channels, and data gaps under counts. */
const shownAs: Record<string, string> = { integrations: 'sources', silence: 'counts' }
