/** A metric with its samples. All metrics are gauges, because gauges stay correct after a restart. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly samples: readonly (readonly [labels: Labels, value: number | null])[]
}

export type Labels = Readonly<Record<string, string>>

/** Returns a metric. @param name without `faultline_` */
export function family(name: string, help: string, samples: Family['samples']): Family {
  return { name: `faultline_${name}`, help, samples }
}

/** Returns a function that makes a metric with a sample for each row. */
export const familyOf =
  <Row>(rows: readonly Row[], labelsOf: (row: Row) => Labels) =>
  (name: string, help: string, value: (row: Row) => number | null): Family =>
    family(
      name,
      help,
      rows.map((row) => [labelsOf(row), value(row)] as const),
    )

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

/** Escapes names of accounts and teams, which can contain any character. */
const escaped = (text: string) =>
  text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
