/** A metric with its samples. All are gauges: what is so now, also after a restart. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly samples: readonly (readonly [labels: Labels, value: number | null])[]
}

export type Labels = Readonly<Record<string, string>>

/** @param name without `faultline_` */
export function family(name: string, help: string, samples: Family['samples']): Family {
  return { name: `faultline_${name}`, help, samples }
}

/** Families in OpenMetrics. One without a sample is left out; so is a sample without a value. */
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

/** The names of accounts and teams come from the configuration and the service. */
const escaped = (text: string) =>
  text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
