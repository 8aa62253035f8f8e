import { bandNames, weekdayNames } from '../page/sentences/list-titles.ts'
import { severities } from '../render/drawing/category.ts'
import { capital } from '../render/text.ts'
import { states } from '../report/incidents/explorer-link.ts'

/** A property by which users filter incidents, such as the team. `name` is also the name of its URL parameter. */
export interface Facet {
  readonly name: string
  readonly label: string
  /** A column of `incident_facets`, or a dimension column that `populationSql` adds. */
  readonly column: string
  /** All values in display order, if they never change. Otherwise, the page shows the most frequent values first. */
  readonly values?: readonly string[]
  readonly words: (value: string) => string
}

const itself = (value: string) => value

/** Prefix for dimensions in URLs and column names, because a dimension can have the same name as another facet. */
const DIMENSION = 'dimension.'

const always: readonly Facet[] = [
  { name: 'severity', label: 'Severity', column: 'incident_severity', values: severities, words: itself },
  { name: 'team', label: 'Team', column: 'team_name', words: itself },
  { name: 'channel', label: 'Channel', column: 'channel_name', words: itself },
  { name: 'source', label: 'Source', column: 'integration_type', words: itself },
  { name: 'alert', label: 'Alert', column: 'alert_family', words: itself },
]

const bands = ['work', 'off', 'sleep']
const weekdays = ['1', '2', '3', '4', '5', '6', '7']
const hours = Array.from({ length: 24 }, (_, hour) => String(hour))
const bandWords = (band: string) => bandNames[band] ?? band
const dayWords = (day: string) => weekdayNames[Number(day) - 1] ?? day
const hourWords = (hour: string) => `${hour.padStart(2, '0')}:00`

const others: readonly Facet[] = [
  { name: 'state', label: 'State', column: 'state', values: states, words: capital },
  { name: 'band', label: 'Hours', column: 'band', values: bands, words: bandWords },
  { name: 'weekday', label: 'Weekday', column: 'weekday', values: weekdays, words: dayWords },
  { name: 'hour', label: 'Hour of day', column: 'hour', values: hours, words: hourWords },
]

/** @param dimensions names from the configuration */
export function facetsOf(dimensions: readonly string[]): readonly Facet[] {
  const own = dimensions.map(
    (name): Facet => ({
      name: `${DIMENSION}${name}`,
      label: capital(name.replaceAll('_', ' ')),
      column: `${DIMENSION}${name}`,
      words: itself,
    }),
  )
  return [...always, ...own, ...others]
}

/** Returns undefined for facets that are not dimensions. */
export function dimensionOf({ column }: Facet): string | undefined {
  return column.startsWith(DIMENSION) ? column.slice(DIMENSION.length) : undefined
}
