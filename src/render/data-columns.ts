import type { Format } from './chart-spec.ts'
import { pivoted, type Shown } from './pivot.ts'
import type { ChartBlock, TableColumn } from './result.ts'

/** What a chart shows, as a table: its values in the chart's format, the rest by their type; series side by side. */
export function dataOf(block: ChartBlock): Shown {
  const columns = dataColumns(block)
  const column = (name: string) => columns.find((each) => each.column === name)!
  return pivoted(block, column) ?? { data: block.data, columns }
}

function dataColumns({ spec, data }: ChartBlock): TableColumn[] {
  const values =
    spec.type === 'line'
      ? [...spec.y, ...(spec.band ?? [])]
      : spec.type === 'percentiles'
        ? [...spec.x, ...(spec.interval ?? []), ...(spec.target === null ? [] : [spec.target])]
        : spec.type === 'histogram'
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
    'open' in spec ? spec.open : null,
    'censored' in spec ? spec.censored : null,
    ...(spec.type === 'survival' ? (spec.band ?? []) : []),
  ].flat()
  const shares = spec.type === 'survival' ? [spec.y, ...(spec.band ?? [])] : []
  const used = new Set([...values, ...others])
  return data.columns
    .filter(({ name }) => used.has(name))
    .map(({ name, type }) => ({
      column: name,
      label: name.replaceAll('_', ' '),
      format: values.includes(name) ? spec.format : shares.includes(name) ? 'percent' : byType(type),
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
