import { METRIC } from '../definitions/metric-views.ts'
import { ConfigError, closestMatch } from '../errors.ts'
import { resources } from '../resources/index.ts'
import type { Settings } from '../settings/settings.ts'
import { type Described, type Relation, type RelationKind, readSchema } from '../warehouse/schema/schema.ts'

/** Returns tables, views and macros, including custom SQL, all or by name. @throws ConfigError for an unknown name */
export async function relationsNamed(
  names: readonly string[],
  settings: Settings,
): Promise<readonly Relation[]> {
  const all = await readSchema(resources, settings)
  return names.length === 0 ? all : names.map((name) => relationNamed(name, all))
}

/** Returns a relation by name. @throws ConfigError with the closest name if unknown */
export function relationNamed(name: string, all: readonly Relation[]): Relation {
  const found = all.find((one) => one.name === name.toLowerCase())
  if (found) return found
  const names = all.map((one) => one.name)
  const next = closestMatch(name, names) ?? '`faultline schema` lists all.'
  throw new ConfigError(`Unknown table, view or metric "${name}".`, { next })
}

/** Kinds of relations in the order of the reference, with title and introduction. */
export const SECTIONS: readonly (readonly [RelationKind, string, string])[] = [
  ['view', 'Views', 'What numbers mean: one row per incident, assignment, day and so on.'],
  [
    'table macro',
    'Metrics with parameters',
    "Called like a table, `from acknowledgement(started_from := '2026-01-01')`; every parameter may be left out. `of_incidents` names what is counted, which a query can make itself: `with mine as (from incident_times where team_name = 'Payments') from acknowledgement(of_incidents := 'mine')`.",
  ],
  [
    'metric',
    'Metrics as views',
    'What a metric gives when it is called without anything: for programs that list tables, where the file is attached, and for dbt (`faultline export --dbt`). The columns are those of the metric.',
  ],
  ['macro', 'Expressions', 'Called like a function.'],
  [
    'service',
    'Tables of the service',
    "Named as in the service's document; its 0 for a time that is not set is NULL.",
  ],
  ['sync', 'Tables of the sync and the reports', 'What was read and reported, when and why.'],
  ['settings', 'Settings', 'The configuration as tables, for views and for SQL of your own.'],
  [
    'shape macro',
    'Shapes of parameters',
    'Empty relations with the columns of a parameter. Add your rows with `from no_durations() union all by name select …`. Columns that you leave out are null.',
  ],
]

/** Renders the schema as one Markdown page. */
export function schemaMarkdown(relations: readonly Relation[]): string {
  const sections = SECTIONS.map(([kind, title, introduction]) => {
    const own = relations.filter((relation) => relation.kind === kind)
    if (kind === 'metric') return [`## ${title}`, introduction, questionsOf(own)].join('\n\n')
    const index = own.map(({ name }) => `[${name}](#${name})`).join(' · ')
    return [`## ${title}`, introduction, index, ...own.map(relationText)].join('\n\n')
  })
  return `# Reference: the tables, views and metrics of a warehouse

Made by \`faultline schema\` from the resources and the comments in \`sql/\`; do not edit it. Questions with
their queries are in [README.md](README.md). After a change:
\`npm run build && node dist/bin/faultline.js schema > sql/REFERENCE.md\`.

${sections.join('\n\n')}
`
}

function questionsOf(metrics: readonly Relation[]): string {
  const rows = metrics.map(({ name, question = '', key = [] }) => {
    const metric = name.slice(METRIC.length)
    const row = key.length === 0 ? 'one row' : key.map((column) => `\`${column}\``).join(', ')
    return `| \`${name}\` | ${question} | [${metric}](#${metric}) | ${row} |`
  })
  return ['| view | answers | metric | a row for each |', '|---|---|---|---|', ...rows].join('\n')
}

/** Renders a relation as a section of Markdown. */
export function relationText({ name, kind, question, meaning, parameters, columns }: Relation): string {
  const call = `\`${name}(${parameters.map((parameter) => parameter.name).join(', ')})\``
  return [
    `### ${name}`,
    kind.endsWith('macro') ? call : '',
    question ?? '',
    cell(meaning),
    listOf('parameter', parameters),
    listOf('column', columns),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function listOf(what: 'parameter' | 'column', described: readonly Described[]): string {
  if (described.length === 0) return ''
  const rows = described.map(({ name, type, meaning }) =>
    what === 'column' ? `| \`${name}\` | ${type} | ${cell(meaning)} |` : `| \`${name}\` | ${cell(meaning)} |`,
  )
  const head =
    what === 'column'
      ? ['| column | type | meaning |', '|---|---|---|']
      : ['| parameter | meaning |', '|---|---|']
  return [...head, ...rows].join('\n')
}

/** Escapes Markdown. A bar would end the cell, and `<1 h` start a tag. */
function cell(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('*', '\\*')))
    .join('')
    .replaceAll('|', '\\|')
}
