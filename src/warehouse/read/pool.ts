import type { Reader } from './reader.ts'
import type { Session } from './session.ts'

interface Idle {
  readonly session: Session
  /** Names of stored results that begin with `scoped_`. Reports with the same filters share these results. */
  readonly made: Set<string>
  /** The period, teams and other filters of the results in `made`. */
  scope: string
  readonly kept: Set<string>
  /** SQL of the temporary views of a new session, by name. */
  readonly defined: ReadonlyMap<string, string>
}

/**
 * Reuses sessions for consecutive reports, which then share definitions. Reports with equal filters also share the
 * stored results that begin with `scoped_`.
 * @param timesKept whether to store `incident_times` per session, which pays off for hundreds of small reports
 */
export function pooled(reader: Pick<Reader, 'session'>, { timesKept = false } = {}) {
  const idle: Idle[] = []
  return {
    /** Closes the unused sessions. All other sessions close with the reader. */
    close(): void {
      for (const { session } of idle.splice(0)) session.close()
    },
    async session(): Promise<Session> {
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
        // The reader may already be closed, so the session is reset later.
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

/** Removes the last report's results. Returns undefined if a result replaced a definition of the session. */
async function again(one: Idle | undefined): Promise<Idle | undefined> {
  if (one === undefined) return undefined
  const { session } = one
  await drop(session, one.kept)
  const views = await viewsOf(session)
  const { rows } = await session.query('select table_name from duckdb_tables() where not temporary')
  // A result can replace a definition with the same name, even a view that limits a table to some accounts.
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
