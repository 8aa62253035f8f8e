import type { ViewFile } from './view-file.ts'

export const METRIC = 'metric_'

/** Returns false only if a statement certainly uses no metric view. */
export const mayNameMetric = (sql: string) => sql.toLowerCase().includes(METRIC)

/** Returns a view for each metric with a question. Lists of tables include views, but not the macros of metrics. */
export function metricViews(files: readonly ViewFile[]): ViewFile[] {
  return files
    .filter(({ question }) => question !== null)
    .map((file): ViewFile => {
      const body = `select * from ${file.name}()`
      const columns = new Map([...file.columns].filter(([, meaning]) => !meaning.startsWith('parameter: ')))
      const made = { parameters: new Map(), columns, body, stored: body, query: { sql: body, line: 1 } }
      return { ...file, name: `${METRIC}${file.name}`, kind: 'view', ...made }
    })
}
