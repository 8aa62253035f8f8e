import { ConfigError } from '../errors.ts'
import { firstLineOf } from '../external-errors.ts'
import { COMPARE, CONDITION_COLUMNS, checked, fits, type Kind, PARTS, Wrong } from './condition-tree.ts'
import { listOf, type Parser, printed, type Tree, treeOf, treesOf } from './parse-tree.ts'
import { quoteIdentifier } from './quote.ts'

/** A condition or expression, as it is written in the configuration. */
export interface Written {
  readonly text: string
  /** File and line of the text, such as `config.json:7`. */
  readonly at: string
  /** Name of the setting, such as `reporting.exclude, "test channels"`. */
  readonly of: string
  /** Required kind of the result. If undefined, every kind is allowed. */
  readonly gives?: 'boolean'
}

/**
 * Converts conditions to SQL. DuckDB prints the SQL from the checked parse tree, so it contains no unchecked text.
 * @returns the SQL of each condition, and the labels and custom fields in it, such as `label.env`
 * @throws ConfigError that lists every mistake with its position
 */
export async function compileConditions(
  parser: Parser,
  all: readonly Written[],
): Promise<{ sql: string; reads: string[] }[]> {
  const trees = await treesOf(
    parser,
    all.map(({ text }) => `select ${text.replaceAll('\0', ' ')}`),
  )
  const mistakes: { text: string; next: string }[] = []
  const results: { sql: string; reads: string[] }[] = []
  for (const [index, tree] of trees.entries()) {
    const { at, of, text, gives } = all[index]!
    try {
      if (text.includes('\0')) throw new Wrong('it contains a NUL character', 'Remove it.')
      const reads = new Set<string>()
      const { node, kind } = checked({ ...structuredClone(onlyExpression(tree)) }, reads)
      if (gives && !fits(kind, gives)) throw new Wrong(`"${text}" is a ${kind}, not a condition`, COMPARE)
      const sql = await printed(parser, node)
      await tried(parser, sql)
      results.push({ sql, reads: [...reads] })
    } catch (error) {
      if (!(error instanceof Wrong)) throw error
      mistakes.push({ text: `${at}: ${of}: ${error.message}.`, next: error.next })
    }
  }
  const [first, second] = mistakes
  if (!first) return results
  if (!second) throw new ConfigError(first.text, { next: first.next, field: 'reporting' })
  const lines = mistakes.map(({ text, next }) => `${text} ${next}`)
  throw new ConfigError([`The conditions have ${lines.length} errors.`, ...lines].join('\n'), {
    next: 'Correct them. src/config/custom-definitions.md lists what a condition can contain.',
    field: 'reporting',
  })
}

/** Returns the only expression of a `select` without a `from` clause. @throws Wrong for any other tree */
function onlyExpression(tree: Tree): Tree {
  if (tree.error) throw new Wrong(`it cannot be parsed: ${String(tree.error_message)}`, PARTS)
  const statements = listOf(tree.statements)
  const node = treeOf(statements[0]?.node)
  const list = listOf(node.select_list)
  const known = ['type', 'select_list', 'from_table', 'aggregate_handling']
  const isPlain =
    statements.length === 1 &&
    node.type === 'SELECT_NODE' &&
    treeOf(node.from_table).type === 'EMPTY' &&
    Object.keys(node).every((key) => known.includes(key)) &&
    list.length === 1 &&
    list[0]!.alias === undefined
  if (!isPlain)
    throw new Wrong('it is not a single condition', 'Write only the condition that would follow `where`.')
  return list[0]!
}

/** Evaluates a condition on a sample row. Some errors, such as an invalid pattern, occur only then. */
async function tried(parser: Parser, sql: string): Promise<void> {
  const types: Record<Kind, string> = {
    text: "'a'::varchar",
    number: '1::bigint',
    boolean: 'true',
    time: 'to_timestamp(0)',
    any: 'null',
  }
  const columns = Object.entries(CONDITION_COLUMNS).map(
    ([column, kind]) => `${types[kind]} as ${quoteIdentifier(column)}`,
  )
  const row = `select ${columns.join(', ')}, '{}'::json as labels, '{}'::json as fields`
  try {
    await parser.runAndReadAll(`select ${sql} from (${row})`)
  } catch (cause) {
    throw new Wrong(`it cannot be evaluated: ${firstLineOf(cause)}`, PARTS)
  }
}
