import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const texts = new Map(
  ['sql', 'reports', 'src/report', 'src/cli', 'src/delivery'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(sql|ts|md)$/.test(path) && !path.endsWith('README.md') && path !== 'REFERENCE.md')
      .map((path) => [`${folder}/${path}`, codeOf(readFileSync(`${folder}/${path}`, 'utf8'), path)] as const),
  ),
)

function codeOf(text: string, path: string): string {
  return path.endsWith('.ts')
    ? text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*/g, '')
    : text.replace(/--.*/g, '').replace(/^(title|subtitle):.*$/gm, '')
}

const holding = (formula: RegExp) =>
  [...texts].filter(([, text]) => formula.test(text.replace(/\s+/g, ' '))).map(([path]) => path)

/** Patterns that identify a formula, and the only files that may contain it. */
const formulas: [string, RegExp, string[]][] = [
  ['half the width of a 95% interval', /\b1\.96(e0)?\b/, ['sql/statistics/z95.sql']],
  [
    'a normal-distribution interval',
    /\bz95\(\)\)? (\*|\/|,)|pow\((coalesce\(z, z95|given\.z, 2\))/,
    ['sql/statistics/t95.sql', 'sql/statistics/wilson-interval.sql'],
  ],
  [
    'Newcombe',
    /wilson_interval\([^)]*\)\.(low|high), 2\)|interval_now\.(low|high)[^\n]*interval_before\.(low|high)/,
    ['sql/statistics/share-change.sql'],
  ],
  ['XmR', /\b2\.660?(e0)?\b|\b3\.145(e0)?\b/, ['sql/statistics/usual-range.sql']],
  ['Kaplan and Meier', /1 - closed \/ at_risk|\b1\.9599\d*/, ['sql/statistics/survival-curve.sql']],
  ['autocorrelated weeks', /pow\((given\.)?lag, abs\(/, ['sql/statistics/week-dispersion.sql']],
  ['dispersion', /\(week\.n - week\.days \* /, ['sql/statistics/count-dispersion.sql']],
  ['Peto and Prentice', /longer \+ as_long\) \/ 2/, ['sql/statistics/duration-scores.sql']],
  ['p90', /quantile_cont\([^()]*, ?0?\.90* ?\)/, ['sql/statistics/p90.sql']],
  [
    'acknowledgement policies',
    /coalesce\( ?(\w+\.)?ack\w*, (\w+\.)?clos\w*|closer_id (<>|!=) 0 then (\w+\.)?clos/,
    ['sql/incidents/ack-by-policy.sql'],
  ],
  [
    'time to resolve',
    /is_handled_by_people (and \w+ >= 0 )?then (time_to_)?close_s/,
    ['sql/incidents/incident-times.sql'],
  ],
  ['merged into another', /creator_id = 0 and (\w+\.)?alert_cnt = 0/, ['sql/incidents/is-merged-away.sql']],
  ['compression', /1 - [^;]{0,60}alert_event/, ['sql/metrics/compression.sql']],
  // monitor_figures adds up small teams, and teams_behind all other teams, so they compute this share themselves.
  [
    'target attainment',
    /\bmet\b[^;]{0,40} \/ nullif\(/,
    ['sql/findings/teams-behind.sql', 'sql/metrics/monitor-figures.sql', 'sql/metrics/targets-attained.sql'],
  ],
]

test.each(formulas)('the formula for “%s” exists only in its listed files', (_, formula, files) => {
  expect(holding(formula).sort()).toEqual(files)
})

/**
 * DuckDB 1.5 can fail on this window function if a thread receives no rows:
 * https://github.com/duckdb/duckdb/issues/25713
 */
test('SQL computes a total by a subquery, not by a window over all rows', () => {
  expect(holding(/(?<!row_number\(\) )\bover \( ?\)/)).toEqual([])
})

test('the report engine does not contain statistical formulas', () => {
  const formula = /Math\.(sqrt|cbrt|log\w*|exp\w*|pow|hypot)\b|[\w)] \*\* [\w(]/
  expect(holding(formula).filter((path) => /^src\/(report|judge|page)\//.test(path))).toEqual([])
})
