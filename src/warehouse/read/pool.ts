import type { Reader } from './reader.ts'
import type { Session } from './session.ts'

/** A session that is available for the next report. */
interface Idle {
  readonly session: Session
  /** The period, teams and other filters that apply to the relations in `made`. */
  scope: string
  readonly made: Set<string>
  readonly kept: Set<string>
  readonly defined: ReadonlyMap<string, string>
}

interface Pool extends Pick<Reader, 'session'> {
  /** Closes the idle sessions. The others are closed with the reader. */
  close(): void
}

/**
 * Provides sessions to consecutive reports on one state of the warehouse. Only definitions and scope are reused.
 * @param timesKept whether to compute `incident_times` only once per session, for hundreds of small reports
 */
export function pooled(reader: Pick<Reader, 'session'>, { timesKept = false } = {}): Pool {
  const idle: Idle[] = []
  return {
    close() {
      for (const { session } of idle.splice(0)) session.close()
    },
    async session() {
      const one = (await again(idle.pop())) ?? (await made(reader, timesKept))
      const { session } = one
      let isStopped = false
      return {
        ...session,
        stop(reason) {
          isStopped = true
          session.stop(reason)
        },
        async keep(name, sql, options) {
          if (!name.startsWith('scoped_')) {
            one.kept.add(name)
            return session.keep(name, sql, options)
          }
          const scope = JSON.stringify(options)
          if (scope !== one.scope) {
            await drop(session, one.made)
            one.scope = scope
          }
          if (one.made.has(name)) return
          await session.keep(name, sql, options)
          one.made.add(name)
        },
        // Closing a session here must not run a statement, because the reader might be closed at the same time.
        close: () => void (isStopped ? session.close() : idle.push(one)),
      }
    },
  }
}

async function made(reader: Pick<Reader, 'session'>, timesKept: boolean): Promise<Idle> {
  const session = await reader.session()
  if (timesKept)
    await session.define(
      'create temp table "times of all" as from incident_times; create or replace temp view incident_times as from "times of all"',
    )
  return { session, scope: '', made: new Set(), kept: new Set(), defined: await viewsOf(session) }
}

/** Removes the last report's results from the session and returns it, or undefined if it cannot be reset. */
async function again(one: Idle | undefined): Promise<Idle | undefined> {
  if (one === undefined) return undefined
  const { session } = one
  await drop(session, one.kept)
  const views = await viewsOf(session)
  const { rows } = await session.query('select table_name from duckdb_tables() where not temporary')
  // In a limited session, the view of a table shows only some accounts. If a result replaced a definition, dropping the
  // result also drops the definition.
  const names = [...one.defined.keys(), ...rows.map(([name]) => String(name))]
  if (names.every((name) => views.get(name) === one.defined.get(name))) return one
  session.close()
  return undefined
}

async function viewsOf(session: Session): Promise<Map<string, string>> {
  const { rows } = await session.query('select view_name, sql from duckdb_views() where temporary')
  return new Map(rows.map(([name, text]) => [String(name), String(text)]))
}

async function drop(session: Session, names: Set<string>): Promise<void> {
  await session.forget(names)
  names.clear()
}
