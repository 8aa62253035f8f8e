import { name as identifier } from '../quote.ts'
import type { Reader, Session } from './reader.ts'

/**
 * Sessions for hundreds of small reports of one state of the warehouse: what a report kept is dropped when it is closed, the
 * definitions stay, and `incident_times`, which all of them read, is worked out once for each.
 */
export function pooled(reader: Reader): Pick<Reader, 'session'> {
  const idle: Session[] = []
  return {
    async session() {
      const own = idle.pop() ?? (await prepared(reader))
      const views = await own.query('select view_name from duckdb_views() where temporary')
      const defined = new Set(['incident_times', ...views.rows.map(([name]) => String(name))])
      const kept = new Set<string>()
      return {
        ...own,
        async keep(name, ...rest) {
          kept.add(name)
          return own.keep(name, ...rest)
        },
        close() {
          const drops = [...kept].map((name) => `drop table if exists temp.main.${identifier(name)}`)
          // A result that took the place of a definition cannot be undone.
          if ([...kept].some((name) => defined.has(name))) own.close()
          else own.define(drops.join(';')).then(() => idle.push(own), own.close)
        },
      }
    },
  }
}

/** A session in which the view `incident_times` is a table. */
async function prepared(reader: Reader): Promise<Session> {
  const session = await reader.session()
  await session.define(
    'create temp table times_of_all as from incident_times; drop view if exists temp.main.incident_times; alter table times_of_all rename to incident_times',
  )
  return session
}
