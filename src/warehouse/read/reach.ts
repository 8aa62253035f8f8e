import { listOf, lower, type Tree, treeOf, walk } from '../../definitions/parse-tree.ts'
import { quoteIdentifier } from '../../definitions/quote.ts'
import { WarehouseError } from '../../errors.ts'
import { COMPUTING } from './allowed.ts'
import { type Guarded, serialize } from './guard.ts'

/** Everything that a statement may read. */
export interface Reach {
  /** The allowed columns of each relation, and whether the relation is a macro. */
  readonly relations: ReadonlyMap<string, { readonly columns: readonly string[]; readonly isMacro: boolean }>
  readonly refused: ReadonlySet<string>
}

/** This prefix in the names of CTEs ensures that a CTE and a relation never have the same name. */
const ASKED = 'asked_'

/** Limits a statement to the allowed columns. @throws WarehouseError if it uses a forbidden relation */
export async function confine(on: Guarded, sql: string, reach: Reach): Promise<string> {
  const tree = await serialize(on, sql)
  const selects = await selectsOf(on, tree, reach)
  const ctes = new Set<string>()
  walk(tree, ({ cte_map: map }) => {
    for (const { key } of listOf(treeOf(map).map)) ctes.add(lower(key))
  })
  const confined = replace(tree, { reach, ctes, selects })
  const found = await on.connection
    .runAndReadAll('select json_deserialize_sql($tree::json)', {
      tree: textOf({ error: false, statements: [confined] }),
    })
    .catch(() => {
      throw refusal('This form of statement', 'is not allowed here')
    })
  const text = String(found.getRows()[0]![0])
  // DuckDB runs the converted text, so this text is checked instead of the original.
  refuseUnconfined(await serialize(on, text), { reach, ctes, selects })
  return text
}

type Confining = { reach: Reach; ctes: ReadonlySet<string>; selects: ReadonlyMap<string, Tree> }

/** Returns a subquery with the allowed columns for each relation in `tree`. */
async function selectsOf(on: Guarded, tree: Tree, reach: Reach): Promise<Map<string, Tree>> {
  const selects = new Map<string, Tree>()
  const names = new Set<string>()
  walk(tree, (node) => void names.add(relationOf(node)))
  for (const name of names) {
    const relation = reach.relations.get(name)
    if (!relation) continue
    const columns = relation.columns.map(quoteIdentifier).join(', ')
    const made = await serialize(on, `from (select ${columns} from ${quoteIdentifier(name)})`)
    selects.set(name, treeOf(treeOf(made.node).from_table))
  }
  return selects
}

/** Returns the name of the relation or table function in a node, or an empty text for any other node. */
function relationOf(node: Tree): string {
  if (node.type === 'BASE_TABLE') return lower(node.table_name)
  return node.type === 'TABLE_FUNCTION' ? lower(treeOf(node.function).function_name) : ''
}

function replace<Part>(part: Part, confining: Confining): Part {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((one) => replace(one, confining)) as Part
  const node = part as Tree
  const { reach, ctes, selects } = confining
  const name = relationOf(node)
  const inside = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, replace(value, confining)]),
  )
  if (node.type === 'RECURSIVE_CTE_NODE') inside.cte_name = ASKED + lower(node.cte_name)
  const { map } = treeOf(node.cte_map)
  if (listOf(map).length > 0)
    inside.cte_map = {
      map: listOf(treeOf(inside.cte_map).map).map((one) => ({ ...one, key: ASKED + lower(one.key) })),
    }
  if (node.type === 'SHOW_REF' && !node.query) throw refusal('`show`', 'is not allowed here')
  if (name === '') return inside as Part
  const isMacro = node.type === 'TABLE_FUNCTION'
  if (isMacro && COMPUTING.has(name)) return inside as Part
  const known = reach.relations.get(name)
  if (known?.isMacro === isMacro) {
    const select = selects.get(name)!
    if (isMacro) inside.function = argumentsOf(treeOf(inside.function), confining)
    const inner = { ...inside, alias: '', column_name_alias: [] }
    const subquery = treeOf(select.subquery)
    return {
      ...select,
      alias: node.alias || name,
      column_name_alias: node.column_name_alias,
      subquery: { ...subquery, node: { ...treeOf(subquery.node), from_table: inner } },
    } as Part
  }
  if (isMacro || !ctes.has(name) || node.schema_name) throw unreadable(name)
  return { ...inside, table_name: ASKED + name, alias: node.alias || node.table_name } as Part
}

/** Renames CTEs in the arguments of a macro. @throws WarehouseError for an argument with a column or a select */
function argumentsOf(called: Tree, { reach, ctes }: Confining): Tree {
  const children = listOf(called.children).map(function renamed<Part>(part: Part): Part {
    if (typeof part !== 'object' || part === null) return part
    if (Array.isArray(part)) return part.map(renamed) as Part
    const node = part as Tree
    if (['COLUMN_REF', 'STAR', 'POSITIONAL_REFERENCE', 'SUBQUERY', 'LAMBDA'].includes(String(node.class)))
      throw refusal('A column or a select', 'is not allowed in an argument here')
    const name = lower(node.value).trim()
    if (typeof node.value === 'string' && reach.refused.has(name)) throw unreadable(name)
    if (typeof node.value === 'string' && ctes.has(name)) return { ...node, value: ASKED + name } as Part
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, renamed(value)])) as Part
  })
  return { ...called, children }
}

/** Checks a rewritten statement. @throws WarehouseError if it reads a relation outside of its subquery */
function refuseUnconfined(part: unknown, confining: Confining): void {
  if (typeof part !== 'object' || part === null) return
  const node = treeOf(part)
  const name = relationOf(node)
  if (name.startsWith(ASKED) && node.type === 'BASE_TABLE') return
  if (name !== '' && !COMPUTING.has(name)) throw unreadable(name)
  const inner = treeOf(treeOf(node.subquery).node)
  const from = treeOf(inner.from_table)
  const select = confining.selects.get(relationOf(from))
  const isWrapper =
    node.type === 'SUBQUERY' && select !== undefined && isSame(inner, treeOf(select.subquery).node)
  for (const one of Object.values(isWrapper ? treeOf(from.function) : node)) refuseUnconfined(one, confining)
}

function isSame(one: Tree, other: unknown): boolean {
  const plain = (tree: unknown) =>
    JSON.stringify({ ...treeOf(tree), from_table: null }, (key, value) =>
      key === 'query_location' ? null : value,
    )
  return plain(one) === plain(other)
}

/** Converts the marked numbers of `serialize` back to numbers. */
function textOf(tree: unknown): string {
  return JSON.stringify(tree).replace(/"\\u0000([^"]*)"/g, '$1')
}

function unreadable(name: string): WarehouseError {
  return refusal(`\`${name}\``, 'cannot be read here: it is unknown, or about people')
}

function refusal(what: string, why: string): WarehouseError {
  return new WarehouseError(`${what} ${why}.`, {
    next: 'Use the tool `list` with kind sql to see what is available. For a person, only counts are available, from the tool incidents with `person`.',
  })
}
