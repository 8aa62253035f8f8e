import type { ViewFile } from './view-file.ts'

export const METRIC = 'metric_'

/** Checks whether a statement might use a metric view. False positives are possible. */
export const mayNameMetric = (sql: string) => sql.toLowerCase().includes(METRIC)

/**
 * Returns a view for each metric with a question, such as `metric_acknowledgement`. Programs that list tables list
 * these views too. In an attached file, a view finds its relations, but a macro does not.
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
