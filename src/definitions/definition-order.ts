import { WarehouseError } from '../errors.ts'
import type { Parser, Unparsed } from './parse-tree.ts'
import { type Names, namesIn } from './sql-references.ts'
import type { ViewFile } from './view-file.ts'

/** Puts each definition after those that it uses. @throws WarehouseError with the files and lines of a cycle */
export async function inOrder(parser: Parser, files: readonly ViewFile[]): Promise<ViewFile[]> {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1))
  return orderOf(await namesByFile(parser, sorted), sorted)
}

/**
 * Returns the definitions that a statement uses, also indirectly, sorted like `inOrder`. Returns all definitions if the
 * statement is not a single `select`, or if it computes the names of relations.
 */
export async function neededBy(parser: Parser, sql: string, files: readonly ViewFile[]): Promise<ViewFile[]> {
  const [names] = await namesIn(parser, [{ sql }])
  if (!names || 'mistake' in names || names.isOpen) return inOrder(parser, files)
  const byName = new Map(files.map((file) => [file.name, file]))
  const reached = new Map<ViewFile, Names | Unparsed>()
  let next = filesNamed(names, byName)
  while (next.length > 0) {
    const found = await namesByFile(parser, next)
    for (const [file, one] of found) reached.set(file, one)
    const further = [...found.values()].flatMap((one) => ('named' in one ? filesNamed(one, byName) : []))
    next = [...new Set(further)].filter((file) => !reached.has(file))
  }
  return orderOf(reached, [...reached.keys()])
}

function filesNamed({ named }: Names, byName: ReadonlyMap<string, ViewFile>): ViewFile[] {
  return [...new Set(named.flatMap(({ name }) => byName.get(name) ?? []))]
}

/** The relations and functions that statements use, and the columns that the statements read. */
export interface Reached {
  readonly named: ReadonlySet<string>
  readonly columns: Names['columns']
}

/** Collects the names and columns that statements use, also through macros. Ignores statements with syntax errors. */
export async function reachedBy(
  parser: Parser,
  texts: readonly string[],
  library: ReadonlyMap<string, ViewFile>,
): Promise<Reached> {
  const named = new Set<string>()
  const columns: Names['columns'][number][] = []
  let next: (Names | Unparsed)[] = await namesIn(
    parser,
    texts.map((sql) => ({ sql })),
  )
  while (next.length > 0) {
    const found = next.flatMap((one) => ('named' in one ? [one] : []))
    columns.push(...found.flatMap((one) => one.columns))
    const fresh = found.flatMap((one) => one.named.map(({ name }) => name)).filter((name) => !named.has(name))
    for (const name of fresh) named.add(name)
    const macros = [...new Set(fresh)]
      .flatMap((name) => library.get(name) ?? [])
      .filter(({ kind }) => kind !== 'view')
    next = [...(await namesByFile(parser, macros)).values()]
  }
  return { named, columns }
}

const known = new Map<string, Names | Unparsed>()

async function namesByFile(
  parser: Parser,
  files: readonly ViewFile[],
): Promise<Map<ViewFile, Names | Unparsed>> {
  const missing = files.filter(({ body }) => !known.has(body))
  const texts = missing.map(({ query, parameters }) => ({ sql: query.sql, parameters }))
  for (const [index, names] of (await namesIn(parser, texts)).entries())
    known.set(missing[index]!.body, names)
  return new Map(files.map((file) => [file, known.get(file.body)!]))
}

/** Treats an invalid file as if it used no other files, because DuckDB reports its error later. */
function orderOf(namesOf: ReadonlyMap<ViewFile, Names | Unparsed>, files: readonly ViewFile[]): ViewFile[] {
  const byName = new Map(files.map((file) => [file.name, file]))
  const order = new Set<ViewFile>()
  const visit = (file: ViewFile, path: readonly string[]) => {
    if (order.has(file)) return
    const names = namesOf.get(file)!
    for (const { name, at } of 'named' in names ? names.named : []) {
      const other = byName.get(name)
      if (!other) continue
      const step = `${file.file}, line ${lineAt(file, at)}`
      if (other === file || path.some((one) => one.startsWith(`${other.file},`))) throw cycle([...path, step])
      visit(other, [...path, step])
    }
    order.add(file)
  }
  for (const file of files) visit(file, [])
  return [...order]
}

/** Returns the line number in the file for a position in its query. @param at bytes from the start of the query */
export function lineAt({ query }: ViewFile, at: number): number {
  const before = Buffer.from(query.sql).subarray(0, at).toString()
  return query.line + before.split('\n').length - 1
}

function cycle(path: readonly string[]): WarehouseError {
  return new WarehouseError(`These definitions depend on each other in a cycle: ${path.join('; ')}.`, {
    next: 'Remove one of these references.',
  })
}
