import type { ViewFile } from './view-file.ts'

/** How the view of a metric is called. */
export const METRIC = 'metric_'

/** Whether a statement may name the view of a metric. */
export const mayNameMetric = (sql: string) => sql.toLowerCase().includes(METRIC)

/**
 * Of each metric with a question a view of what it gives when it is called without anything: `metric_acknowledgement`. Programs that
 * list tables find it, and it answers where a file is attached, where a macro does not find what it names itself.
 */
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
