import type { Config } from '../../config/config.ts'
import type { Log } from '../../effects.ts'
import { sentencesOf } from '../../errors.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { openReader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { columnFamilies, type Family, type LabeledRow } from './metric-family.ts'

/** Returns the incident figures of a published state, or of the previous state until they are computed. */
export type IncidentFigures = (publication: string) => readonly Family[]

export function incidentFigures(config: Config, log: Log): IncidentFigures {
  let asked: string | undefined
  let isRunning = false
  let known: readonly Family[] = []
  const read = async () => {
    isRunning = true
    try {
      known = await families(config)
    } catch (error) {
      // After an error, it is better to show no figures than old ones.
      known = []
      log.warn('incident metrics cannot be read', { error: sentencesOf(error) })
    } finally {
      isRunning = false
    }
  }
  return (publication) => {
    if (asked !== publication && !isRunning) {
      asked = publication
      void read()
    }
    return known
  }
}

/** As in SQL, `(all)` combines all teams or severities, and `(other)` combines the smaller teams. */
async function families({ warehouse, settings, sync }: Config): Promise<Family[]> {
  const { memoryLimit } = sync
  const reader = await openReader(await resolveStorage(warehouse), { memoryLimit, settings })
  const figuresOf = async (days: number) => {
    const sql = `from monitor_figures(days := ${days}) order by team_name, incident_severity`
    return objectsOf(await reader.query(sql)).map((row) => {
      const labels = { team: String(row.team_name), severity: String(row.incident_severity) }
      return { labels, row, days: String(days) }
    })
  }
  try {
    const [first, second] = [await figuresOf(7), await figuresOf(28)]
    const rows = [...first, ...second].map(({ labels, row, days }): LabeledRow => [{ ...labels, days }, row])
    return [
      ...columnFamilies(
        first.map(({ labels, row }) => [labels, row]),
        [['incidents_open', 'open', 'Open incidents, regardless of their start.']],
      ),
      ...columnFamilies(rows, COLUMNS),
    ]
  } finally {
    reader.close()
  }
}

const COLUMNS = [
  ['incidents', 'incidents', 'Incidents that started in the last `days` days.'],
  ['ack_incidents', 'ack_n', 'Number of incidents with a time to acknowledge.'],
  ['ack_median_seconds', 'ack_median_s', 'Median time to acknowledge.'],
  ['ack_p90_seconds', 'ack_p90_s', '90th percentile of the time to acknowledge.'],
  ['ack_in_time_ratio', 'ack_in_time', 'Share acknowledged within the target.'],
  ['resolve_incidents', 'resolve_n', 'Number of incidents with a time to resolve.'],
  ['resolve_median_seconds', 'resolve_median_s', 'Median time to resolve, of incidents handled by a person.'],
  ['resolve_p90_seconds', 'resolve_p90_s', '90th percentile of the time to resolve.'],
  ['resolve_in_time_ratio', 'resolve_in_time', 'Share resolved within the target.'],
] as const
