import { listOf, type Parser, queriesIn, type Tree, treeOf } from '../definitions/parse-tree.ts'
import type { Reference } from '../report/parse/block-schema.ts'
import type { Query } from '../report/parse/parse.ts'

/** Null `facts` mean that the facts behind a figure are unknown. Null `severities` mean all severities. */
export interface FigureBasis {
  readonly facts: ReadonlySet<string> | null
  readonly severities: ReadonlySet<string> | null
}

/** For each fact, a pattern of column names. If an expression contains such a name, the figure depends on the fact. */
const speaks: Readonly<Record<string, RegExp>> = {
  tta: /^(tta|time_to_ack.*|ack_time|hands_on_s|is_negative_ack|is_closed_before_ack)$/,
  ttr: /^(ttr|ttr_all|time_to_(resolve|close).*|median_s|closed_at|close_time|hands_on_s|is_negative_close|is_closed_before_ack)$/,
  acknowledged: /^((is_)?acknowledged|ack_time|is_handled_by_people)$/,
  open: /^(is_open|closed_at|close_time|close_state|close_type|progress|is_handled_by_people)$/,
  muted: /^(is|ever)_muted$/,
  team: /^team(_id|_name)?$/,
  band: /^(band|hour|weekday)$/,
  healed: /^((is_)?self_healed|is_handled_by_people|close_type)$/,
  alerts: /^(compression|alert_.*)$/,
  ack_target: /^ack_outcome$/,
  resolve_target: /^resolve_outcome$/,
}

const unknown: FigureBasis = { facts: null, severities: null }

export async function basesOf(
  parser: Parser,
  figures: readonly Reference[],
  queries: readonly Query[],
): Promise<FigureBasis[]> {
  const texts = figures.map(({ query, column }) => {
    const found = queries.find(({ name }) => name === query)
    const made = found?.bases?.get(column)
    return made ? { sql: made } : { sql: found?.sql ?? '', column }
  })
  const parsed = await queriesIn(
    parser,
    texts.map(({ sql }) => sql),
  )
  return parsed.map((found, index) => {
    if ('mistake' in found) return unknown
    const { column } = texts[index]!
    const expressions =
      column === undefined ? listOf(found.query.select_list) : expressionOf(column, found.query)
    return expressions.length === 0 ? unknown : basisOf(expressions, found.query)
  })
}

function basisOf(expressions: readonly Tree[], query: Tree): FigureBasis {
  const names = namesIn(expressions)
  const all = namesIn([query])
  const facts = new Set(
    Object.keys(speaks).filter((fact) => [...names].some((name) => speaks[fact]!.test(name))),
  )
  const isPart = names.has('/')
  const named = severitiesIn(expressions)
  // The share of one severity depends on two counts, one of which is of that severity.
  if (isPart && named.size > 0) facts.add('severity')
  if (names.has('share') && (all.has('target_attainment') || all.has('targets_attained')))
    facts.add(textsIn([query]).includes('resolve') ? 'resolve_target' : 'ack_target')
  const isCount = /^count(_star)?$/.test(String(expressions[0]!.function_name)) && !expressions[0]!.distinct
  if (isCount && all.has('scoped_pages')) facts.add('pages')
  // Custom measures can depend on anything.
  const isKnown =
    !(all.has('measures') || all.has('open_measures')) && (facts.size > 0 || named.size > 0 || isCount)
  const limits = named.size > 0 && !isPart ? named : severitiesIn(limitsIn(query))
  return { facts: isKnown ? facts : null, severities: limits.size > 0 ? limits : null }
}

/** Returns the first expression in the query that has this alias. Searches `with` clauses first. */
function expressionOf(column: string, query: Tree): Tree[] {
  for (const { select_list: list } of partsOf(query)) {
    const found = listOf(list).find(({ alias }) => String(alias ?? '').toLowerCase() === column.toLowerCase())
    if (found) return [found]
  }
  return []
}

function limitsIn(query: Tree): Tree[] {
  return [...partsOf(query)].flatMap(({ where_clause: limit }) => (limit ? [treeOf(limit)] : []))
}

function namesIn(trees: readonly Tree[]): Set<string> {
  const named = trees
    .flatMap((tree) => [...partsOf(tree)])
    .flatMap((part) => [
      ...(part.class === 'COLUMN_REF' ? listOf(part.column_names) : []),
      ...[part.table_name, part.function_name].filter((name) => name !== undefined),
    ])
  return new Set(named.map((name) => String(name).toLowerCase()))
}

function severitiesIn(trees: readonly Tree[]): Set<string> {
  const compared = trees.flatMap((tree) =>
    [...partsOf(tree)].flatMap(({ type, left, right, children }) => {
      if (type === 'COMPARE_EQUAL') return [[treeOf(left), treeOf(right)]]
      return type === 'COMPARE_IN' ? [listOf(children)] : []
    }),
  )
  const asked = compared.filter((sides) =>
    sides.some((side) => /severity$/i.test(String(listOf(side.column_names).at(-1) ?? ''))),
  )
  return new Set(textsIn(asked.flat()).filter((text) => text !== '(all)'))
}

function textsIn(trees: readonly Tree[]): string[] {
  const constants = trees.flatMap((tree) => [...partsOf(tree)]).filter((part) => part.class === 'CONSTANT')
  return constants.flatMap((part) => {
    const { value } = treeOf(part.value)
    return typeof value === 'string' ? [value] : []
  })
}

function* partsOf(tree: unknown): Generator<Tree> {
  if (typeof tree !== 'object' || tree === null) return
  if (!Array.isArray(tree)) yield tree as Tree
  for (const part of Object.values(tree)) yield* partsOf(part)
}
