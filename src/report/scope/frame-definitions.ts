import { readdirSync } from 'node:fs'
import { headOf, macroOf, type ViewFile } from '../../definitions/view-file.ts'
import { inPackage } from '../../package-path.ts'
import { frameSql } from './frame-sql.ts'

/** Returns the macros and relations of `reports/frame/` that reports can read. */
export function frameDefinitions(): ViewFile[] {
  const files = readdirSync(inPackage('reports/frame/')).filter((file) => file.startsWith('scoped-'))
  const relations = files.map((file) => {
    const lines = frameSql(file.replace('.sql', '')).split('\n')
    const end = lines.findIndex((line) => !line.startsWith('--'))
    const name = file.replace('.sql', '').replaceAll('-', '_')
    return definition(file, name, { ...headOf(file, lines.slice(0, end)), kind: 'view' })
  })
  const macros = frameSql('macros')
    .split(/;\n/)
    .map((text) => macroOf(text.replace(/^(\s*--.*\n|\s*\n)*/, '')))
    .flatMap((made) => made ?? [])
    .map(({ name, asked, ...made }) =>
      definition('macros.sql', name, {
        ...made,
        body: `${name} ${asked}`,
        query: { sql: made.kind === 'macro' ? `select ${asked}` : asked, line: 1 },
      }),
    )
  // The cohort relations have no comment header.
  const cohorts = ['cohort_times', 'cohort_incidents'].map((name) =>
    definition('cohort-started.sql', name, {}),
  )
  return [...relations, ...cohorts, ...macros]
}

function definition(file: string, name: string, made: Partial<ViewFile>): ViewFile {
  return {
    file: `reports/frame/${file}`,
    name,
    kind: 'view',
    comment: '',
    rules: [],
    question: null,
    key: [],
    parameters: new Map(),
    columns: new Map(),
    body: '',
    stored: '',
    query: { sql: '', line: 1 },
    ...made,
  }
}
