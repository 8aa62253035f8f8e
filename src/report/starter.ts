import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../errors.ts'

/** Writes a first report to copy from and returns its path. Throws `ConfigError` for a name that is taken or none. */
export function writeStarter(folder: string, name: string): string {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) {
    throw new ConfigError(`"${name}" cannot be the name of a report.`, {
      next: 'Use lower-case letters, digits and hyphens.',
    })
  }
  const file = join(folder, `${name}.md`)
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(file, starter(name), { flag: 'wx' })
  } catch (cause) {
    throw new ConfigError(`${file} cannot be made: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
      next: 'Choose another name.',
    })
  }
  return file
}

function starter(name: string): string {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')
  return `---
title: ${title}
params: { period: 13 weeks, team: all }
---
The median incident took **{{ summary.ttr | duration }}** to resolve, {{ summary.ttr | change lower-is-better }} than before.

\`\`\`sql summary
select period, count(*) as incidents, median(ttr) as ttr, list(ttr) as ttr_sample
from scoped_incidents where period <> 'running' group by period
\`\`\`

\`\`\`sql weekly
select week, median(ttr) as median, p90(ttr) as p90, count(ttr) as n
from scoped_weeks left join scoped_incidents using (week) group by week order by week
\`\`\`

\`\`\`chart
type: line
title: Half of all incidents are resolved within {{ summary.ttr | duration }}
data: weekly
x: week
y: [median, p90]
n: n
format: duration
\`\`\`
`
}
