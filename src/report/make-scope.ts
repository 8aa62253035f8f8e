import type { Parameters as Bound, Session } from '../warehouse/reader.ts'
import { viewFiles } from '../warehouse/views.ts'
import { columnsRead } from './columns-read.ts'
import { frameSql } from './frame-sql.ts'
import type { Policies } from './policies.ts'

/** Relations that are only made when a query of the report reads them. */
const onRequest = ['scoped_open', 'scoped_pages', 'scoped_survival']

/** Columns of pages that only `pages_within` has, and `page_starts` has not. */
const gathered = ['acknowledged_at', 'assignments', 'incidents']

/** What the engine itself asks of `scoped_incidents`. */
const ours = ['funnel', 'quality', 'scoped-survival', 'sensitivity', 'weekly-counts']

export interface ScopeOptions {
  bound: Bound
  policies: Policies
  /** The texts of the report's queries. */
  queries: readonly string[]
  /** Without rows only the columns are worked out. */
  rows: boolean
}

/**
 * Makes the relations that a report's queries read, for this session. `scoped_incidents` holds only the columns that
 * some query names: of a million incidents, titles and texts are most of what would have to be kept.
 */
export async function makeScope(session: Session, options: ScopeOptions): Promise<void> {
  const { bound, policies, queries, rows } = options
  await session.define(frameSql('macros'))
  await session.define(frameSql(`cohort-${policies.cohort}`))
  await makeAllColumns(session, bound)
  const used = rows
    ? await columnsRead(session, 'scoped_incidents', [...queries, ...ours.map(frameSql)])
    : null
  if (rows) {
    const { columns } = await session.read('scoped_incidents')
    const byMacros = wordsOfMacros([...queries, ...ours.map(frameSql)])
    const kept = columns.filter(
      ({ name }) => used === null || used.has(name.toLowerCase()) || byMacros.has(name.toLowerCase()),
    )
    const list = kept.map(({ name }) => `"${name}"`).join(', ')
    await session.keep('scoped_incidents', `select ${list} from (\n${frameSql('scoped-incidents')}\n)`, {
      parameters: bound,
    })
  }
  await session.keep('scoped_weeks', frameSql('scoped-weeks'), { parameters: bound, rows })
  for (const relation of onRequest) {
    if (!queries.some((sql) => sql.includes(relation))) continue
    await session.keep(relation, await textOf(session, relation, queries), { parameters: bound, rows })
  }
}

/**
 * What the macros of `sql/` that are given a relation by its name (`of_incidents := 'mine'`) may read of it: every word of
 * their texts, and of those that they use.
 */
function wordsOfMacros(queries: readonly string[]): ReadonlySet<string> {
  const wordsIn = (text: string) => text.toLowerCase().match(/[a-z_]\w*/g) ?? []
  // A view reads other tables: only a macro can read what it is given by name.
  const macros = viewFiles().filter(({ kind }) => kind !== 'view')
  const bodies = new Map(macros.map(({ name, body }) => [name, body]))
  const words = new Set<string>()
  const waiting = queries.filter((sql) => /\bof_incidents\b/i.test(sql)).flatMap(wordsIn)
  for (const word of waiting) {
    if (words.has(word)) continue
    words.add(word)
    waiting.push(...wordsIn(bodies.get(word) ?? ''))
  }
  return words
}

/** `scoped_incidents` without a row and with every column, in which a mistake of a query is found and told best. */
export async function makeAllColumns(session: Session, bound: Bound): Promise<void> {
  await session.keep('scoped_incidents', frameSql('scoped-incidents'), { parameters: bound, rows: false })
}

/** What it takes to gather all assignments of a page is spared where no query names what it gives. */
async function textOf(session: Session, relation: string, queries: readonly string[]): Promise<string> {
  const text = frameSql(relation.replaceAll('_', '-'))
  if (relation !== 'scoped_pages') return text
  const reading = queries.filter((sql) => sql.includes(relation))
  const used = await columnsRead(session, relation, reading)
  const isGathered = used === null || gathered.some((name) => used.has(name))
  return isGathered ? text : text.replace('pages_within', 'page_starts')
}
