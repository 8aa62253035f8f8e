import { quoteLiteral } from './quote.ts'

/** A part of a parse tree. */
export type Tree = Readonly<Record<string, unknown>>

/** What is asked of a connection to parse by it. */
export interface Parser {
  runAndReadAll(sql: string): Promise<{ getRows(): readonly (readonly unknown[])[] }>
}

/** Why a text has no query: it is not plainly one `select`. `at` is where the parser stopped, bytes from its start. */
export interface Unparsed {
  readonly mistake: string
  readonly at: number
}

/** What was asked last: the reports of hundreds of teams and values hold the same statements. */
const parsed = new Map<string, readonly Tree[]>()
const PARSED_MOST = 20

/** The trees of some texts, asked of DuckDB's own parser in one call; one of what cannot be read says why. */
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

/** The SQL of an expression, as DuckDB prints its tree. */
export async function printed(parser: Parser, expression: Tree): Promise<string> {
  const node = {
    ...{ type: 'SELECT_NODE', cte_map: { map: [] }, select_list: [expression] },
    ...{ from_table: { type: 'EMPTY' }, aggregate_handling: 'STANDARD_HANDLING' },
  }
  const tree = quoteLiteral(JSON.stringify({ statements: [{ node }] }))
  const found = await parser.runAndReadAll(`select json_deserialize_sql(${tree}::json)`)
  return String(found.getRows()[0]![0]).replace(/^SELECT /, '')
}

/** The queries of some texts, each plainly one `select`, or why it is not. */
export async function queriesIn(
  parser: Parser,
  texts: readonly string[],
): Promise<({ readonly query: Tree } | Unparsed)[]> {
  return (await treesOf(parser, texts)).map((tree) => {
    if (tree.error) return { mistake: String(tree.error_message), at: Number(tree.position ?? 0) }
    const statements = listOf(tree.statements)
    if (statements.length !== 1) return { mistake: `it holds ${statements.length} statements`, at: 0 }
    return { query: treeOf(statements[0]!.node) }
  })
}

/** The parts of a list; none of what is no list. */
export function listOf(value: unknown): Tree[] {
  return Array.isArray(value) ? (value as Tree[]) : []
}

/** A part that may not be there. */
export function treeOf(value: unknown): Tree {
  return typeof value === 'object' && value !== null ? (value as Tree) : {}
}

/** Calls `visit` with each part of a tree, and leaves out what is below one for which it returns false. */
export function walk(part: unknown, visit: (node: Tree) => unknown): void {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part) && visit(part as Tree) === false) return
  for (const one of Object.values(part)) walk(one, visit)
}
