import type { Cell } from '../../warehouse/read/cell.ts'

/** A metric with its samples. All metrics are gauges, because a gauge stays correct after a restart. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly samples: readonly (readonly [labels: Labels, value: number | null])[]
}

export type Labels = Readonly<Record<string, string>>
export type LabeledRow = readonly [labels: Labels, row: Readonly<Record<string, Cell | undefined>>]

/** @param name name without the prefix `faultline_` */
export function family(name: string, help: string, samples: Family['samples']): Family {
  return { name: `faultline_${name}`, help, samples }
}

/** Returns a metric for each column, with a sample for each row. Times become Unix seconds. */
export function columnFamilies(
  rows: readonly LabeledRow[],
  columns: readonly (readonly [name: string, column: string, help: string])[],
): Family[] {
  return columns.map(([name, column, help]) =>
    family(
      name,
      help,
      rows.map(([labels, row]) => [labels, numberOf(row[column])]),
    ),
  )
}

export function numberOf(value: Cell | undefined): number | null {
  const number = value instanceof Date ? value.getTime() / 1_000 : Number(value ?? Number.NaN)
  return Number.isFinite(number) ? number : null
}

/** Formats metrics as OpenMetrics. Omits null values and metrics without samples. */
export function openMetrics(families: readonly Family[]): string {
  return `${families.map(familyText).join('')}# EOF\n`
}

function familyText({ name, help, samples }: Family): string {
  const lines = samples.flatMap(([labels, value]) =>
    value === null ? [] : [`${name}${labelText(labels)} ${value}\n`],
  )
  return lines.length === 0 ? '' : `# TYPE ${name} gauge\n# HELP ${name} ${help}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

/** Escapes label values, because the names of accounts and teams can contain any character. */
const escaped = (text: string) =>
  text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
