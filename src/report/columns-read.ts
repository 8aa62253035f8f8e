import type { Session } from '../warehouse/reader.ts'

/**
 * Which columns of a relation some queries may read, in lower case: every name that occurs in them, wherever. Null when
 * one of them takes all columns, or cannot be understood. So a table that the queries share need only hold what they use.
 */
export async function columnsRead(
  session: Session,
  relation: string,
  queries: readonly string[],
): Promise<ReadonlySet<string> | null> {
  const names = new Set<string>()
  for (const sql of queries) {
    const tree = await treeOf(session, sql)
    if (tree === null || takesAll(tree, relation)) return null
    for (const word of wordsOf(tree)) names.add(word.toLowerCase())
  }
  return names
}

/** How DuckDB reads the text; null when it does not. */
async function treeOf(session: Session, sql: string): Promise<unknown> {
  const { rows } = await session.query('select json_serialize_sql($sql::varchar)::varchar', {
    sql: sql.replace(/[\s;]+$/, ''),
  })
  const tree = JSON.parse(String(rows[0]?.[0])) as { error?: boolean }
  return tree.error ? null : tree
}

/**
 * Whether the query's result depends on which columns the relation has, besides those it names. A `select *` in a CTE or a
 * subquery does not, as long as what reads it names its columns; one that reaches the result does. So does what reads
 * columns without naming them: a whole row as a value, a natural join, a pivot, a description, a query in a text.
 */
function takesAll(tree: unknown, relation: string): boolean {
  const wide = new Set([relation])
  let all = false
  const root = isNode(tree) && Array.isArray(tree.statements) ? (tree.statements[0] as Node).node : undefined
  if (exposes(root, wide)) return true
  walk(tree, (node) => {
    const { class: kind, column_names: column, ref_type: join, type } = node
    const isRow = kind === 'COLUMN_REF' && Array.isArray(column) && wide.has(lower(column.at(-1)))
    const isHidden =
      join === 'NATURAL' ||
      type === 'SHOW_REF' ||
      type === 'PIVOT' ||
      /^query(_table)?$/.test(lower(node.function_name))
    if (isRow || isHidden) all = true
  })
  return all

  /** Whether a query hands on every column of what is wide. `wide` grows by the names and aliases that do. */
  function exposes(query: unknown, names: ReadonlySet<string>): boolean {
    if (!isNode(query)) return false
    const known = new Set(names)
    for (const { key, value } of ctesOf(query)) {
      if (exposes(value, known)) {
        known.add(lower(key))
        wide.add(lower(key))
      } else known.delete(lower(key))
    }
    if (query.type === 'SET_OPERATION_NODE') {
      const sides = [query.left, query.right, ...(Array.isArray(query.children) ? query.children : [])]
      const isWide = sides.map((side) => exposes(side, known)).some(Boolean)
      if (isWide && !(query.setop_type === 'UNION' && query.setop_all === true)) all = true
      return isWide
    }
    const isWide = reads(query.from_table, known)
    inExpressions(query, known)
    if (!isWide || !holds(query.select_list, (each) => each.class === 'STAR')) return false
    if (holds(query.modifiers, (each) => each.type === 'DISTINCT_MODIFIER')) all = true
    return true
  }

  function reads(from: unknown, names: ReadonlySet<string>): boolean {
    if (!isNode(from)) return false
    const isWide =
      from.type === 'BASE_TABLE'
        ? names.has(lower(from.table_name))
        : from.type === 'SUBQUERY'
          ? exposes((from.subquery as Node).node, names)
          : [reads(from.left, names), reads(from.right, names)].some(Boolean)
    if (isWide && from.alias) wide.add(lower(from.alias))
    return isWide
  }

  /** A query inside an expression may be compared with all its columns. */
  function inExpressions(query: Node, names: ReadonlySet<string>): void {
    const { from_table: _from, cte_map: _ctes, ...expressions } = query
    walk(expressions, (node) => {
      if (
        node.class === 'SUBQUERY' &&
        exposes((node.subquery as Node).node, names) &&
        node.subquery_type !== 'EXISTS'
      )
        all = true
    })
  }
}

function ctesOf(query: Node): { key: unknown; value: unknown }[] {
  const map = isNode(query.cte_map) ? query.cte_map.map : undefined
  if (!Array.isArray(map)) return []
  return map.map((each: { key: unknown; value: { query?: { node?: unknown } } }) => ({
    key: each.key,
    value: each.value.query?.node,
  }))
}

function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : ''
}

type Node = Readonly<Record<string, unknown>>

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a part of the tree is of a kind; what a query inside it reads is its own affair. */
function holds(tree: unknown, isOfKind: (node: Node) => boolean): boolean {
  if (Array.isArray(tree)) return tree.some((each) => holds(each, isOfKind))
  if (!isNode(tree)) return false
  if (isOfKind(tree)) return true
  if ('select_list' in tree) return false
  return Object.values(tree).some((each) => holds(each, isOfKind))
}

function walk(tree: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(tree)) for (const each of tree) walk(each, visit)
  if (!isNode(tree)) return
  visit(tree)
  for (const each of Object.values(tree)) walk(each, visit)
}

function wordsOf(tree: unknown): string[] {
  if (typeof tree === 'string') return [tree]
  if (Array.isArray(tree)) return tree.flatMap(wordsOf)
  return isNode(tree) ? Object.values(tree).flatMap(wordsOf) : []
}
