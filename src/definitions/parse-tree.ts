import { quoteLiteral } from './quote.ts'

export type Tree = Readonly<Record<string, unknown>>

export interface Parser {
  runAndReadAll(sql: string): Promise<{ getRows(): readonly (readonly unknown[])[] }>
}

/** The reason why a text is not a single `select`. `at` is the byte offset at which DuckDB's parser stopped. */
export interface Unparsed {
  readonly mistake: string
  readonly at: number
}

/** Cache of the trees from recent calls, because hundreds of reports can contain the same statements. */
const parsed = new Map<string, readonly Tree[]>()
const PARSED_MOST = 20

/** Parses SQL texts with one call to DuckDB. The tree of an invalid text contains the error. */
export async function treesOf(parser: Parser, texts: readonly string[]): Promise<readonly Tree[]> {
  if (texts.length === 0) return []
  const options = 'skip_null := true, skip_empty := true, skip_default := true'
  const sql = `select ${texts.map((text) => `json_serialize_sql(${quoteLiteral(text)}, ${options})`).join(',\n')}`
  const known = parsed.get(sql)
  if (known) return known
  const found = await parser.runAndReadAll(sql)
  const trees = found.getRows()[0]!.map((text) => JSON.parse(String(text)) as Tree)
  if (parsed.size >= PARSED_MOST) parsed.clear()
  parsed.set(sql, trees)
  return trees
}

/** Converts the parse tree of an expression back to SQL. */
export async function printed(parser: Parser, expression: Tree): Promise<string> {
  const node = {
    ...{ type: 'SELECT_NODE', cte_map: { map: [] }, select_list: [expression] },
    ...{ from_table: { type: 'EMPTY' }, aggregate_handling: 'STANDARD_HANDLING' },
  }
  const tree = quoteLiteral(JSON.stringify({ statements: [{ node }] }))
  const found = await parser.runAndReadAll(`select json_deserialize_sql(${tree}::json)`)
  return String(found.getRows()[0]![0]).replace(/^SELECT /, '')
}

export async function queriesIn(
  parser: Parser,
  texts: readonly string[],
): Promise<({ readonly query: Tree } | Unparsed)[]> {
  return (await treesOf(parser, texts)).map((tree) => {
    if (tree.error) return { mistake: String(tree.error_message), at: Number(tree.position ?? 0) }
    const statements = listOf(tree.statements)
    if (statements.length !== 1) return { mistake: `it contains ${statements.length} statements`, at: 0 }
    return { query: treeOf(statements[0]!.node) }
  })
}

export function listOf(value: unknown): Tree[] {
  return Array.isArray(value) ? (value as Tree[]) : []
}

export function treeOf(value: unknown): Tree {
  return typeof value === 'object' && value !== null ? (value as Tree) : {}
}

export function lower(name: unknown): string {
  return String(name ?? '').toLowerCase()
}

/** Visits every node of a tree. If `visit` returns false, skips the children of the node. */
export function walk(part: unknown, visit: (node: Tree) => unknown): void {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part) && visit(part as Tree) === false) return
  for (const one of Object.values(part)) walk(one, visit)
}
