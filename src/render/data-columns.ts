import type { Format } from './chart-spec.ts'
import type { ChartBlock, TableColumn } from './result.ts'

/** The columns a chart reads, as a table: those with the chart's values in its format, the rest by their type. */
export function dataColumns({ spec, data }: ChartBlock): TableColumn[] {
  const values =
    spec.type === 'line'
      ? [...spec.y, ...(spec.band ?? [])]
      : spec.type === 'percentiles' || spec.type === 'histogram'
        ? spec.x
        : spec.type === 'bars' || spec.type === 'survival'
          ? [spec.x]
          : [spec.type === 'heatmap' ? spec.color : spec.y]
  const others = [
    spec.x,
    spec.y,
    'n' in spec ? spec.n : null,
    'color' in spec ? spec.color : null,
    'facet' in spec ? spec.facet : null,
  ].flat()
  const used = new Set([...values, ...others])
  return data.columns
    .filter(({ name }) => used.has(name))
    .map(({ name, type }) => ({
      column: name,
      label: name.replaceAll('_', ' '),
      format: values.includes(name) ? spec.format : byType(type),
      bar: false,
      badge: false,
      link: null,
      wrap: false,
      priority: 1,
    }))
}

function byType(type: string): Format {
  if (type === 'DATE') return 'date'
  if (type.startsWith('TIMESTAMP')) return 'time'
  return /INT|DOUBLE|FLOAT|DECIMAL/.test(type) ? 'number' : 'text'
}
