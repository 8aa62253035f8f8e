import { name as identifier } from '../quote.ts'
import type { Reader, Session } from './reader.ts'

/** A session that waits for its next report. */
interface Idle {
  readonly session: Session
  /** The period, teams … of the relations in `made`. */
  scope: string
  readonly made: Set<string>
}

/**
 * Sessions for reports of one state of the warehouse, one after the other: what a report kept is dropped when it is closed,
 * the definitions stay, and so does its scope, which the next report of the same period and teams need not make again.
 * @param timesKept works `incident_times` out once for each session: for hundreds of small reports
 */
export function pooled(reader: Reader, { timesKept = false } = {}): Pick<Reader, 'session'> {
  const idle: Idle[] = []
  let closing: Promise<unknown> = Promise.resolve()
  return {
    async session() {
      await closing
      const one = idle.pop() ?? { session: await made(reader, timesKept), scope: '', made: new Set<string>() }
      const { session } = one
      const views = await session.query('select view_name from duckdb_views() where temporary')
      const defined = new Set(views.rows.map(([name]) => String(name)))
      const kept = new Set<string>()
      const drop = (names: Iterable<string>) =>
        session.define(
          Array.from(names, (name) => `drop table if exists temp.main.${identifier(name)}`).join(';'),
        )
      return {
        ...session,
        async keep(name, sql, options) {
          if (!name.startsWith('scoped_')) {
            kept.add(name)
            return session.keep(name, sql, options)
          }
          const scope = JSON.stringify(options)
          if (scope !== one.scope) {
            await drop(one.made)
            one.made.clear()
            one.scope = scope
          }
          if (one.made.has(name)) return
          await session.keep(name, sql, options)
          one.made.add(name)
        },
        close() {
          const isAsItWas = async () => {
            await drop(kept)
            // A view of a table shows some accounts only.
            const narrowed = await session.query(
              'select 1 from duckdb_views() where temporary and view_name in (select table_name from duckdb_tables() where not temporary)',
            )
            // A result that took the place of a definition cannot be undone.
            return narrowed.rows.length === 0 && ![...kept].some((name) => defined.has(name))
          }
          const closed = isAsItWas().then(
            (again) => (again ? idle.push(one) : session.close()),
            session.close,
          )
          closing = Promise.all([closing, closed])
        },
      }
    },
  }
}

async function made(reader: Reader, timesKept: boolean): Promise<Session> {
  const session = await reader.session()
  if (timesKept)
    await session.define(
      'create temp table times_of_all as from incident_times; create or replace temp view incident_times as from times_of_all',
    )
  return session
}
