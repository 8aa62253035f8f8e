import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../errors.ts'

/** Returns the path of the starter report. @throws ConfigError if the name is taken or invalid */
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
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    const reason = isTaken ? 'it already exists' : cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`${file} cannot be created: ${reason}.`, {
      cause,
      next: isTaken ? 'Edit it, or choose another name.' : 'Check the folder and its permissions.',
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
Median time to resolve (handled by a person): **{{ summary.time_to_resolve | duration }}**, {{ summary.time_to_resolve | change lower-is-better }}.

\`\`\`kpi summary
- { metric: incidents }
- { metric: incidents, where: severity = 'Critical', as: critical, label: Critical }
- { metric: time_to_resolve }
\`\`\`

\`\`\`chart
type: columns
title: Incidents per week
metric: incidents
color: severity
\`\`\`

\`\`\`sql weekly
select week, median(ttr) as median, p90(ttr) as p90, count(ttr) as n
from scoped_weeks left join scoped_incidents using (week, period) group by week order by week
\`\`\`

\`\`\`chart
type: line
title: Time to resolve
subtitle: Incidents handled by a person, by week of start.
data: weekly
x: week
y: [median, p90]
n: n
format: duration
\`\`\`
`
}
