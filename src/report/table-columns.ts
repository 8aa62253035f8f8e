import type { Format } from '../render/chart-spec.ts'
import type { Column, TableColumn } from '../render/result.ts'
import type { TableBody } from './block-schema.ts'

/** The columns of a table: those the author names, else all of the query, each with a label and a format. */
export function tableColumns(body: TableBody, columns: readonly Column[]): TableColumn[] {
  const chosen = body.columns ?? columns.map(({ name }) => ({ ...plain, column: name }))
  return chosen.map((each) => ({
    ...each,
    label: each.label ?? labelOf(each.column),
    format: each.format ?? formatOf(columns.find(({ name }) => name === each.column)?.type ?? ''),
  }))
}

const plain = {
  label: undefined,
  format: undefined,
  bar: false,
  badge: false,
  link: null,
  wrap: false,
  priority: 1,
} as const

/** `time_to_ack` becomes `Time to ack`; statistics such as n and p90 stay small. */
function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  if (/^(n|p\d+)$/.test(words)) return words
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function formatOf(type: string): Format {
  if (type === 'DATE') return 'date'
  if (type.startsWith('TIMESTAMP')) return 'time'
  return /INT|DOUBLE|FLOAT|DECIMAL/.test(type) ? 'number' : 'text'
}
