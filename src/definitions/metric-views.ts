import type { ViewFile } from './view-file.ts'

export const METRIC = 'metric_'

/** Whether a statement may use a metric view. False only if it certainly uses none. */
export const mayNameMetric = (sql: string) => sql.toLowerCase().includes(METRIC)

/** Lists of tables omit macros, so each metric with a question also gets a view. */
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
