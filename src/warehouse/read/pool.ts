import type { Reader } from './reader.ts'
import type { Session } from './session.ts'

/** A session that waits for its next report. */
interface Idle {
  readonly session: Session
  /** The period, teams … of the relations in `made`. */
  scope: string
  readonly made: Set<string>
  /** What the last report kept. */
  readonly kept: Set<string>
  /** The views that it began with, and their definitions. */
  readonly defined: ReadonlyMap<string, string>
}

interface Pool extends Pick<Reader, 'session'> {
  /** Closes the sessions that no report has; the others when the reader is closed. */
  close(): void
}

/**
 * Sessions for reports of one state of the warehouse, one after the other: what a report kept is dropped before the next, the
 * definitions stay, and so does its scope, which the next report of the same period and teams need not make again.
 * @param timesKept works `incident_times` out once for each session: for hundreds of small reports
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
        // Nothing is done here that the reader could be closed in the middle of.
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

/** The session without what its last report kept; undefined where it cannot be as it was. */
async function again(one: Idle | undefined): Promise<Idle | undefined> {
  if (one === undefined) return undefined
  const { session } = one
  await drop(session, one.kept)
  const views = await viewsOf(session)
  const { rows } = await session.query('select table_name from duckdb_tables() where not temporary')
  // Where it was narrowed, a view of a table shows some accounts only; a result that took the place of a definition is gone,
  // and the definition with it.
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
