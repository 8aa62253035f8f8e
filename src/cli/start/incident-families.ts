import type { Config } from '../../config/config.ts'
import type { Log } from '../../effects.ts'
import { sentencesOf } from '../../errors.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import type { Cell } from '../../warehouse/read/cell.ts'
import { openReader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { type Family, family, familyOf, type Labels } from './metric-family.ts'

const DAYS = [7, 28] as const

/** Incident figures for monitoring. They are computed in the background, once per publication. */
export interface IncidentFigures {
  /** Returns the figures of a publication. While they are being computed, returns those of the previous publication. */
  of(publication: string): readonly Family[]
}

export function incidentFigures(config: Config, log: Log): IncidentFigures {
  let asked: string | undefined
  let running: Promise<void> | undefined
  let known: readonly Family[] = []
  return {
    of(publication) {
      if (asked !== publication && running === undefined) {
        asked = publication
        running = read(config)
          .then((families) => {
            known = families
          })
          .catch((error: unknown) => {
            // Old figures must not appear as current ones.
            known = []
            log.warn('incident metrics cannot be read', {
              error: sentencesOf(error),
            })
          })
          .finally(() => {
            running = undefined
          })
      }
      return known
    },
  }
}

type Row = Readonly<Record<string, Cell>>

async function read({ warehouse, settings, sync }: Config): Promise<Family[]> {
  const reader = await openReader(await resolveStorage(warehouse), {
    memoryLimit: sync.memoryLimit,
    settings,
  })
  try {
    const rows: [Labels, Row][] = []
    for (const days of DAYS) {
      const result = await reader.query(
        `from monitor_figures(days := ${days}) order by team_name, incident_severity`,
      )
      for (const row of objectsOf(result)) {
        const labels = { team: String(row.team_name), severity: String(row.incident_severity) }
        rows.push([{ ...labels, days: String(days) }, row])
      }
    }
    return familiesOf(rows)
  } finally {
    reader.close()
  }
}

/** As in SQL, `(all)` combines all teams or severities, and `(other)` combines the smaller teams. */
function familiesOf(rows: readonly (readonly [Labels, Row])[]): Family[] {
  const eachRow = familyOf(rows, ([labels]) => labels)
  const each = (name: string, help: string, column: string) =>
    eachRow(name, help, ([, { [column]: value = null }]) => (value === null ? null : Number(value)))
  const newest = rows.filter(([{ days }]) => days === String(DAYS[0]))
  return [
    family(
      'incidents_open',
      'Open incidents, regardless of their start.',
      newest.map(([{ days: _, ...labels }, { open }]) => [labels, Number(open)] as const),
    ),
    each('incidents', 'Incidents that started in the last `days` days.', 'incidents'),
    each('ack_incidents', 'Number of incidents with a time to acknowledge.', 'ack_n'),
    each('ack_median_seconds', 'Median time to acknowledge.', 'ack_median_s'),
    each('ack_p90_seconds', '90th percentile of the time to acknowledge.', 'ack_p90_s'),
    each('ack_in_time_ratio', 'Share acknowledged within the target.', 'ack_in_time'),
    each('resolve_incidents', 'Number of incidents with a time to resolve.', 'resolve_n'),
    each(
      'resolve_median_seconds',
      'Median time to resolve, of incidents handled by a person.',
      'resolve_median_s',
    ),
    each('resolve_p90_seconds', '90th percentile of the time to resolve.', 'resolve_p90_s'),
    each('resolve_in_time_ratio', 'Share resolved within the target.', 'resolve_in_time'),
  ]
}
