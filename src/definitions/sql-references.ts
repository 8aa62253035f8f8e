import { listOf, lower, type Parser, queriesIn, type Tree, treeOf, type Unparsed } from './parse-tree.ts'

/** `relation` includes table macros. `text` is a string argument that may be the name of a relation. */
export interface Named {
  readonly name: string
  readonly kind: 'relation' | 'function' | 'text'
  /** Position in bytes from the start of the statement. */
  readonly at: number
}

/** Names of relations and functions that a statement uses, without the names of its CTEs. */
export interface Names {
  readonly named: readonly Named[]
  /** Columns that the statement reads. A column is listed for every relation that could contain it. */
  readonly columns: readonly { readonly relation: string; readonly column: string }[]
  /** Whether the statement reads the catalog or computes the name of a relation, so that `named` is incomplete. */
  readonly isOpen: boolean
}

type Parameters = ReadonlyMap<string, string | null>

/** Finds the names in statements or macro bodies. Parses all of them with one call to DuckDB. */
export async function namesIn(
  parser: Parser,
  texts: readonly { readonly sql: string; readonly parameters?: Parameters }[],
): Promise<(Names | Unparsed)[]> {
  const queries = await queriesIn(
    parser,
    texts.map(({ sql }) => sql),
  )
  return queries.map((found, index) =>
    'mistake' in found ? found : namesOf(found.query, texts[index]!.parameters ?? new Map()),
  )
}

/** A table, subquery or CTE in `from`. Has the columns in `made`, and all columns of the tables in `relations`. */
interface Source {
  readonly made: ReadonlySet<string>
  readonly relations: ReadonlySet<string>
}

interface Scope {
  readonly ctes: ReadonlyMap<string, Source>
  readonly sources: readonly { readonly alias: string; readonly source: Source }[]
  readonly outer: Scope | undefined
}

interface Found {
  readonly named: Named[]
  readonly columns: Map<string, { relation: string; column: string }>
  readonly parameters: Parameters
  isOpen: boolean
}

function namesOf(root: Tree, parameters: Parameters): Names {
  const found: Found = { named: [], columns: new Map(), parameters, isOpen: false }
  query(found, root, { ctes: new Map(), sources: [], outer: undefined })
  return { named: found.named, columns: [...found.columns.values()], isOpen: found.isOpen }
}

function query(found: Found, node: Tree, scope: Scope): Source {
  const ctes = new Map(scope.ctes)
  const inside: Scope = { ...scope, ctes }
  for (const { key, value } of listOf((node.cte_map as Tree | undefined)?.map))
    ctes.set(lower(key), query(found, treeOf(treeOf(value).query).node as Tree, inside))
  if (node.type === 'SELECT_NODE') return select(found, node, inside)
  if (node.type === 'RECURSIVE_CTE_NODE') {
    const first = query(found, treeOf(node.left), inside)
    ctes.set(lower(node.cte_name), first)
    return passing([first, query(found, treeOf(node.right), inside)])
  }
  const parts = [node.left, node.right, node.child, node.query, ...listOf(node.children)]
  return passing(parts.flatMap((part) => (part ? [query(found, treeOf(part), inside)] : [])))
}

function select(found: Found, node: Tree, { ctes, outer }: Scope): Source {
  const sources = table(found, treeOf(node.from_table), { ctes, sources: [], outer })
  const scope: Scope = { ctes, sources, outer }
  const made = new Set<string>()
  const from: Source[] = []
  for (const item of listOf(node.select_list)) {
    const column = item.alias ?? listOf(item.column_names).at(-1)
    if (item.class === 'STAR') {
      const of = item.relation_name
      from.push(...sources.filter(({ alias }) => !of || alias === lower(of)).map(({ source }) => source))
      for (const { key } of listOf(item.replace_list)) made.add(lower(key))
    } else if (column) made.add(lower(column))
  }
  const { cte_map: _, from_table: __, modifiers, ...rest } = node
  expression(found, Object.values(rest), scope)
  // `order by` can use the columns of the select list.
  const source = passing(from, made)
  expression(found, modifiers, { ...scope, sources: [{ alias: '', source }, ...sources] })
  return source
}

function table(found: Found, ref: Tree, scope: Scope): Scope['sources'] {
  const given = (source: Source, own?: unknown) => {
    const made = new Set(listOf(ref.column_name_alias).map(lower))
    return [{ alias: lower(ref.alias ?? own), source: passing([source], made) }]
  }
  if (ref.type === 'BASE_TABLE') {
    if (ref.schema_name === 'information_schema') found.isOpen = true
    return given(relation(found, ref.table_name, 'relation', ref, scope), ref.table_name)
  }
  if (ref.type === 'SUBQUERY') return given(query(found, treeOf(treeOf(ref.subquery).node), scope))
  if (ref.type === 'TABLE_FUNCTION') return called(found, treeOf(ref.function), scope, given)
  if (ref.type === 'JOIN') {
    const left = table(found, treeOf(ref.left), scope)
    const right = table(found, treeOf(ref.right), { ...scope, outer: { ...scope, sources: left } })
    expression(found, ref.condition, { ...scope, sources: [...left, ...right] })
    return [...left, ...right]
  }
  if (ref.type === 'SHOW_REF' || ref.type === 'PIVOT') found.isOpen = true
  const { source, ...rest } = ref
  expression(found, rest, scope)
  return source ? table(found, treeOf(source), scope) : []
}

/** Handles a call in `from`. An argument that may be the name of a relation counts as a read of that relation. */
function called(
  found: Found,
  { function_name: name, children, query_location: at }: Tree,
  scope: Scope,
  given: (source: Source, own?: unknown) => Scope['sources'],
): Scope['sources'] {
  if (/^(duckdb|pragma)_/.test(lower(name))) found.isOpen = true
  const isByName = lower(name) === 'query_table'
  const handed = listOf(children).flatMap((child) => argument(found, child, isByName, scope))
  if (isByName) return given(passing(handed))
  found.named.push({ name: lower(name), kind: 'relation', at: Number(at ?? 0) })
  return given(passing([relationOf(lower(name)), ...handed]), name)
}

function relation(found: Found, given: unknown, kind: Named['kind'], at: Tree, { ctes }: Scope): Source {
  const name = lower(given)
  const own = at.schema_name || at.catalog_name ? undefined : ctes.get(name)
  if (own === undefined) found.named.push({ name, kind, at: Number(at.query_location ?? 0) })
  return own ?? relationOf(name)
}

function argument(found: Found, child: Tree, isByName: boolean, scope: Scope): Source[] {
  const { value } = treeOf(child.value)
  const at = { query_location: child.query_location }
  if (typeof value === 'string') return [relation(found, value, 'text', at, scope)]
  const passed = found.parameters.get(lower(listOf(child.column_names).at(0)))
  if (passed) return [relation(found, passed, 'text', at, scope)]
  if (isByName && passed === undefined) found.isOpen = true
  expression(found, child, scope)
  return []
}

function expression(found: Found, value: unknown, scope: Scope): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const one of value) expression(found, one, scope)
  if (Array.isArray(value)) return
  const node = value as Tree
  const isQuery = node.class === undefined && /_NODE$/.test(String(node.type))
  if (isQuery) return void query(found, node, { ...scope, sources: [], outer: scope })
  if (node.class === 'COLUMN_REF') column(found, listOf(node.column_names).map(lower), scope)
  if (node.function_name && !node.is_operator)
    found.named.push({
      name: lower(node.function_name),
      kind: 'function',
      at: Number(node.query_location ?? 0),
    })
  for (const part of Object.values(node)) expression(found, part, scope)
}

/** Records a column for each relation that could contain it. Stops at the innermost scope with such a relation. */
function column(found: Found, path: readonly string[], scope: Scope): void {
  const [first = '', second] = path
  const levels: Scope[] = []
  for (let level: Scope | undefined = scope; level; level = level.outer) levels.push(level)
  const aliased = levels.flatMap(({ sources }) => sources).find(({ alias }) => alias === first)
  const isQualified = second !== undefined && aliased !== undefined
  const wanted = isQualified ? second : first
  for (const { sources } of isQualified ? [{ sources: [aliased] }] : levels) {
    if (sources.some(({ source }) => source.made.has(wanted))) return
    const relations = sources.flatMap(({ source }) => [...source.relations])
    for (const one of relations) found.columns.set(`${one}.${wanted}`, { relation: one, column: wanted })
    if (relations.length > 0) return
  }
}

function relationOf(name: string): Source {
  return { made: new Set(), relations: new Set([name]) }
}

function passing(from: readonly Source[], made: Iterable<string> = []): Source {
  return {
    made: new Set([...made, ...from.flatMap((one) => [...one.made])]),
    relations: new Set(from.flatMap((one) => [...one.relations])),
  }
}
