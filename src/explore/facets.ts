import { severities } from '../render/drawing/category.ts'
import { states } from '../report/incidents/explorer-link.ts'
import { bandNames, weekdayNames } from '../report/incidents/incident-selection.ts'
import { capital } from '../report/resolve/finding-words.ts'

/** What incidents are filtered by: the part of an address that names it is the facet's name. */
export interface Facet {
  readonly name: string
  readonly label: string
  /** Its column of `incident_facets`, or of what `populationSql` makes of it. */
  readonly column: string
  /** All its values in their order, where they are known beforehand; else those of most incidents come first. */
  readonly values?: readonly string[]
  /** What a value is called. */
  readonly words: (value: string) => string
}

const itself = (value: string) => value

/** How a dimension is called in an address, and the column that holds it: its name alone may be taken by another word. */
const DIMENSION = 'dimension.'

const always: readonly Facet[] = [
  {
    name: 'severity',
    label: 'Severity',
    column: 'incident_severity',
    values: severities,
    words: itself,
  },
  { name: 'team', label: 'Team', column: 'team_name', words: itself },
  { name: 'channel', label: 'Channel', column: 'channel_name', words: itself },
]

const others: readonly Facet[] = [
  {
    name: 'state',
    label: 'State',
    column: 'state',
    values: states,
    words: capital,
  },
  {
    name: 'band',
    label: 'Hours',
    column: 'band',
    values: ['work', 'off', 'sleep'],
    words: (value) => bandNames[value] ?? value,
  },
  {
    name: 'weekday',
    label: 'Weekday',
    column: 'weekday',
    values: ['1', '2', '3', '4', '5', '6', '7'],
    words: (value) => weekdayNames[Number(value) - 1] ?? value,
  },
]

/** All facets, with those of the configuration. @param dimensions of the configuration, by name */
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

/** The dimension that a facet is; undefined of the others. */
export function dimensionOf({ column }: Facet): string | undefined {
  return column.startsWith(DIMENSION) ? column.slice(DIMENSION.length) : undefined
}
