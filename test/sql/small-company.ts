import { beforeEach } from 'vitest'
import { filesFor } from '../../src/definitions/custom-definitions-sql.ts'
import { createSettings } from '../../src/definitions/settings-tables.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { empty, insert } from '../support/tables.ts'
import { defined } from './defined.ts'

export const HOUR = 3600
export const DAY = 24 * HOUR
/** The default start of incidents, a Monday. */
export const start = Date.UTC(2024, 0, 1) / 1000
/** The default end of the data. */
export const asOf = start + 30 * DAY
/** Selects the row for all severities and teams. */
export const all = `incident_severity = '(all)' and team_name = '(all)'`

/** The definitions of `sql/` over a small company. Each test begins with empty tables. */
export function happening() {
  const asked = defined()
  beforeEach(() => empty(asked.connection()))
  const fill = (table: string, rows: readonly object[]) => insert(asked.connection(), table, rows)
  return {
    ...asked,
    insert: fill,
    settings: (settings: Settings) => createSettings(asked.connection(), settings),
    /** Uses the settings, with the corrections and measures that change the definition of incidents. */
    async configured(settings: Settings) {
      await createSettings(asked.connection(), settings)
      const own = (await filesFor(asked.connection(), settings)).find(({ name }) => name === 'own_incidents')!
      await asked.connection().run(`create or replace view own_incidents as ${own.body}`)
    },
    /** Adds incidents. By default, they are Critical, and those with a close time were closed by a person. */
    async happen(incidents: readonly object[], readAt = asOf) {
      await fill('sync_runs', [{ run_id: 1, finished_at: readAt, as_of_at: readAt }])
      await fill(
        'incidents',
        incidents.map((incident, place) => ({
          incident_id: `i${place}`,
          start_time: start,
          progress: 'close_time' in incident ? 'Closed' : 'Triggered',
          incident_severity: 'Critical',
          closer_id: 'close_time' in incident ? 1 : 0,
          creator_id: 0,
          alert_cnt: 1,
          dedup_key: '',
          _seen_at: readAt,
          ...incident,
        })),
      )
    },
    /** Adds earlier versions of the first incident. Each version was replaced by the next one. */
    earlier: (...contents: readonly object[]) =>
      fill(
        'incident_versions',
        contents.map((content, place) => ({
          incident_id: 'i0',
          start_time: start,
          progress: 'Triggered',
          incident_severity: 'Critical',
          _seen_at: start + (place + 1) * DAY,
          _replaced_at: start + (place + 2) * DAY,
          ...content,
        })),
      ),
  }
}
