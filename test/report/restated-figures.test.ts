import { expect, test } from 'vitest'
import { type Restated, reasonsOf } from '../../src/report/restated-figures.ts'

const of = (severity: string): Restated => ({
  ...{ reason: `of ${severity}`, facts: ['ttr'], incidents: 1, examples: [] },
  ...{ severityBefore: severity, severity },
})

test.each([
  ['in one line', "where period = 'current' and incident_severity = 'Critical' order by 1"],
  ['over several lines', "where period = 'current'\n  and incident_severity = 'Critical'\norder by 1"],
  [
    'before another part',
    "where incident_severity = 'Critical'\nunion all\nselect 1, severity = 'Info' as n",
  ],
])('what limits the rows of a figure is found %s', (_, rest) => {
  const sql = `select median(ttr) as ttr\nfrom scoped_incidents ${rest}`
  const queries = [{ name: 's', sql, at: { file: 'r.md', line: 1 } }]
  const reasons = reasonsOf({ query: 's', column: 'ttr' }, queries, [of('Critical'), of('Info')])
  expect(reasons.map(({ reason }) => reason)).toEqual(['of Critical'])
})
