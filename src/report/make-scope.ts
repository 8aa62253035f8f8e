import type { Parameters as Bound, Session } from '../warehouse/reader.ts'
import { viewFiles } from '../warehouse/views.ts'
import { columnsRead } from './columns-read.ts'
import { frameSql } from './frame-sql.ts'
import type { Policies } from './policies.ts'

/** Relations that are only made when a query of the report reads them. */
const onRequest = ['scoped_open', 'scoped_pages', 'scoped_survival']

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
    await session.keep(relation, textOf(relation), { parameters: bound, rows })
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

function textOf(relation: string): string {
  const text = frameSql(relation.replaceAll('_', '-'))
  return relation === 'scoped_pages' ? `with responder_pages as (\n${pagesInReach()}\n)\n${text}` : text
}

/**
 * The view `responder_pages` over the assignments that can matter: pages are told apart by who was assigned within a
 * minute before, so an hour around the scope is enough, and the history before need not be sorted.
 */
function pagesInReach(): string {
  const { body } = viewFiles().find(({ name }) => name === 'responder_pages')!
  return body.replace(
    'incident_responders as (select * from incident_responders)',
    `incident_responders as (
      select * from incident_responders
      where assigned_at >= $previous_start::timestamptz - interval 1 hour
        and assigned_at < $scope_end::timestamptz + interval 1 hour
    )`,
  )
}
